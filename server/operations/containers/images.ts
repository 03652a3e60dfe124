/** What both kinds of deployment in containers share. */

/** Where the image keeps its data. */
export const dataPath = "/data";
export const port = 4747;

/** The user of the image. */
export const user = 1000;

/** The arguments of a server in a container behind a proxy; the entry point of the image is the program. */
export const serveArguments = (publicUrl: string, postgresql: boolean): string[] => [
  ...["serve", "run", "--host", "0.0.0.0", "--behind-proxy", "--data", dataPath, "--log", "json"],
  ...["--public-url", publicUrl],
  ...(postgresql ? ["--wait-for-database", "60s"] : []),
];

/** How long (seconds) a container may take to stop: the server still answers, ends requests and closes the database. */
export const stopSeconds = 30;

/** How long (seconds) migrations of a large database may take at the start of a container, which listens only after them. */
export const startSeconds = 3_600;
