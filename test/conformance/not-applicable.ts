/**
 * Scenarios of the conformance suite that say nothing about this server, by their beginnings, and why. Those that begin with `auth/` test
 * programs that sign in, and no program here signs in by OAuth: they are not run. Of the authorization server, all are run.
 */
export const notApplicable: Record<string, string> = {
  "tasks-": "tasks are an extension of the protocol that no tool here uses: `wait_for` answers within 50 seconds",
  "resources-subscribe": "nothing here changes while a client listens, so the server does not offer subscriptions",
  "resources-unsubscribe": "nothing here changes while a client listens, so the server does not offer subscriptions",
  "tools-call-sampling":
    "a server without sessions cannot send requests to clients of the older revision, and no tool asks for sampling",
  "tools-call-elicitation":
    "a server without sessions cannot send requests to clients of the older revision: see the table in mcp.test.ts",
  "elicitation-sep1034-defaults": "a server without sessions cannot send requests to clients of the older revision",
  "elicitation-sep1330-enums": "a server without sessions cannot send requests to clients of the older revision",
  "server-sse-polling": "pending in the suite; a server without sessions resumes no streams",
  "server-session-lifecycle": "the server has no sessions",
  "json-schema-2020-12": "pending in the suite; it wants a fixture whose schema our tools do not need",
  "http-custom-header-server-validation": "pending in the suite; no tool here takes arguments from headers",
};

export const reasonFor = (scenario: string): string | undefined =>
  Object.entries(notApplicable).find(([beginning]) => scenario.startsWith(beginning))?.[1];
