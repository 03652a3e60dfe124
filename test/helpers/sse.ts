export interface Heard {
  id: string;
  /** Undefined: the block carried an id only. */
  data: { id: string; event: string; timestamp: string; data: Record<string, unknown> } | undefined;
}

export interface Listening {
  response: Response;
  /** The next block that carries an id or data; undefined at the end of the stream. */
  next(): Promise<Heard | undefined>;
  close(): void;
}

/** Follows an event stream as a client does: blocks end at an empty line, comments are skipped. */
export async function listenTo(url: string, headers: Record<string, string>): Promise<Listening> {
  const leave = new AbortController();
  const response = await fetch(url, { headers: { accept: "text/event-stream", ...headers }, signal: leave.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";

  async function next(): Promise<Heard | undefined> {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const fields = new Map(
          text
            .slice(0, end)
            .split("\n")
            .map((line) => line.split(/: (.*)/s) as [string, string]),
        );
        text = text.slice(end + 2);
        const data = fields.get("data");
        if (fields.has("id")) return { id: fields.get("id")!, data: data === undefined ? undefined : JSON.parse(data) };
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  }
  return { response, next, close: () => leave.abort() };
}
