/** Texts that people read may be reworded without a test: no mutant is made of them. */
const isSentence = (text) => /^\s*\S+[ ,.]+\S/.test(text);

function shouldIgnore(path) {
  const { node } = path;
  const text = path.isStringLiteral()
    ? node.value
    : path.isTemplateLiteral()
      ? node.quasis.map(({ value }) => value.raw).join("…")
      : "";
  return isSentence(text) ? "a text for people" : undefined;
}

export const strykerPlugins = [{ kind: "Ignore", name: "sentences", value: { shouldIgnore } }];
