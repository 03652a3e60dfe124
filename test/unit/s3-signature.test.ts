import { expect, it } from "vitest";
import { parseBucketAddress } from "../../server/config/blobs-address.ts";
import { hexSha256, queryOf, signed } from "../../server/uploads/s3/signature.ts";

/** The examples that Amazon publishes for Signature Version 4 with the documentation of S3. */
const examples = [
  [
    "a part of an object",
    { method: "GET", path: "/test.txt", query: {}, headers: { Range: "bytes=0-9" }, body: "" },
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  [
    "a new object",
    {
      method: "PUT",
      path: "/test$file.text",
      query: {},
      headers: { Date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      body: "Welcome to Amazon S3.",
    },
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
  [
    "a query without a value",
    { method: "GET", path: "/", query: { lifecycle: "" }, headers: {}, body: "" },
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  ],
  [
    "a list",
    { method: "GET", path: "/", query: { prefix: "J", "max-keys": "2" }, headers: {}, body: "" },
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  ],
] as const;

it.each(examples)("signs %s as Amazon's example", (_name, { method, path, query, headers, body }, signature) => {
  const url = new URL(path, "https://examplebucket.s3.amazonaws.com");
  url.search = queryOf(query);
  const credentials = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
  const signer = { credentials, region: "us-east-1", now: Date.parse("2013-05-24T00:00:00Z") };
  const all = signed({ method, url, headers, bodySha256: hexSha256(body) }, signer);
  expect(all.authorization?.split("Signature=")[1]).toBe(signature);
});

it("signs the token of credentials that end", () => {
  const credentials = { accessKeyId: "A", secretAccessKey: "S", sessionToken: "T" };
  const request = { method: "GET", url: new URL("https://b.example"), headers: {}, bodySha256: hexSha256("") };
  const all = signed(request, { credentials, region: "eu-west-1", now: 0 });
  expect(all["x-amz-security-token"]).toBe("T");
  expect(all.authorization).toContain("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,");
});

const none = { prefix: "", endpoint: undefined, region: undefined, pathStyle: false };

it.each([
  ["s3://videos", { ...none, bucket: "videos" }],
  ["s3://videos/", { ...none, bucket: "videos" }],
  ["s3://videos/a/b/", { ...none, bucket: "videos", prefix: "a/b/" }],
  [
    "s3://my.videos/p?endpoint=http://127.0.0.1:9000&region=eu-west-1&path-style",
    { bucket: "my.videos", prefix: "p/", endpoint: "http://127.0.0.1:9000", region: "eu-west-1", pathStyle: true },
  ],
  ["s3://videos?path-style=false", { ...none, bucket: "videos" }],
])("reads %s", (text, address) => {
  expect(parseBucketAddress(text)).toEqual(address);
});

it.each([
  "",
  "videos",
  "https://videos",
  "s3://",
  "s3://UP",
  "s3://key:secret@videos",
  "s3://videos/a b",
  "s3://videos/a//b",
  "s3://videos?endpoint=ftp://x",
  "s3://videos?endpoint=https://x/path",
  "s3://videos?region=EU",
  "s3://videos?secret=1",
])("refuses %j", (text) => {
  expect(parseBucketAddress(text)).toBeUndefined();
});
