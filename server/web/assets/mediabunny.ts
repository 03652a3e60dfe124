/** What is used of the library that reads videos. It is a file of its own, which the page loads when a video is chosen. */
export { CustomSource, EncodedPacketSink, Input, Logging, MATROSKA, MP4, QTFF, WEBM } from "mediabunny";
