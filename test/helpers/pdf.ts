import { inflateSync } from "node:zlib";

/** The text of a PDF that pdfkit made, in the order it is drawn: each glyph by what its font says it stands for. */
export function pdfText(pdf: Buffer): string {
  const objects = readObjects(pdf);
  const fonts = new Map<string, string[]>();
  for (const { head } of objects.values())
    for (const [, name, id] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) fonts.set(name!, glyphTexts(objects, Number(id)));
  const content = [...objects.values()]
    .map(({ body }) => body)
    .filter((body) => body.includes(" Tf"))
    .join("\n");
  let font: string[] = [];
  let text = "";
  for (const [, name, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[(.*?)\] TJ/g)) {
    if (name) font = fonts.get(name)!;
    else
      for (const [, glyph] of shown!.replace(/[^<>\da-f]|>.*?</gi, "").matchAll(/([\da-f]{4})/gi))
        text += font[Number.parseInt(glyph!, 16)];
    if (shown) text += "\n";
  }
  return text;
}

/** How far above the lower edge of its page the lowest text of a PDF that pdfkit made stands (pt). */
export function lowestText(pdf: Buffer): number {
  const bodies = [...readObjects(pdf).values()].map(({ body }) => body);
  return Math.min(...bodies.flatMap((body) => [...body.matchAll(/1 0 0 1 [-\d.]+ ([-\d.]+) Tm/g)].map(([, y]) => Number(y))));
}

type Objects = Map<number, { head: string; body: string }>;

function readObjects(pdf: Buffer): Objects {
  const text = pdf.toString("latin1");
  const objects: Objects = new Map();
  for (const match of text.matchAll(/(?:^|\n)(\d+) 0 obj\n/g)) {
    const start = match.index + match[0].length;
    const end = text.indexOf("endobj", start);
    const streamAt = text.indexOf("stream\n", start);
    const hasStream = streamAt !== -1 && streamAt < end;
    const head = text.slice(start, hasStream ? streamAt : end);
    const raw = pdf.subarray(streamAt + 7, text.indexOf("\nendstream", streamAt));
    const isText = hasStream && head.includes("FlateDecode");
    objects.set(Number(match[1]), { head, body: isText ? inflateSync(raw).toString("latin1") : "" });
  }
  return objects;
}

/** What each glyph of a font stands for, from its ToUnicode map. */
function glyphTexts(objects: Objects, fontId: number): string[] {
  const mapId = Number(/\/ToUnicode (\d+) 0 R/.exec(objects.get(fontId)!.head)?.[1]);
  const ranges = objects.get(mapId)!.body.matchAll(/<([\da-f]+)> <[\da-f]+> \[(.*?)\]/gis);
  return [...ranges].flatMap(([, , list]) =>
    [...list!.matchAll(/<([\da-f ]*)>/gi)].map(([, hex]) => utf16(hex!.replaceAll(" ", ""))),
  );
}

const utf16 = (hex: string) => Buffer.from(hex, "hex").swap16().toString("utf16le");
