#!/bin/sh
# A transcriber for `playtest serve` with ffmpeg and whisper.cpp.
# Prints WebVTT for the video that it is given.
set -eu
ffmpeg -nostdin -loglevel error -i "$1" -ar 16000 -ac 1 audio.wav
whisper-cli -m /opt/whisper/ggml-base.en.bin -f audio.wav -ovtt -of audio -np >/dev/null
cat audio.vtt
