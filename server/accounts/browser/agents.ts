import bowser from "bowser";

/** A browser by its user agent, as people call it: `Firefox on Windows`. What another program calls itself stays as it is. */
export function browserName(agent: string): string {
  if (!agent.startsWith("Mozilla/")) return agent;
  const { browser, os } = bowser.parse(agent);
  return `${browser.name || "A browser"}${os.name ? ` on ${os.name}` : ""}`;
}
