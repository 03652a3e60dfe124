import {
  completable,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Host } from "../../server/mcp/host.ts";

/**
 * What the conformance suite calls by name: tools, prompts and resources that no product has. They run behind the HTTP and authentication
 * layer of `/mcp`, which is what is tested with them.
 */

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: pixel, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, words: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words },
});
const content = (...blocks: ReturnType<typeof text>[]) => ({ content: blocks });

function addContents(server: McpServer): void {
  const returns = (name: string, ...blocks: unknown[]) =>
    server.registerTool(name, { description: name }, () => ({ content: blocks as ReturnType<typeof text>[] }));
  returns("test_simple_text", text("This is a simple text response for testing."));
  returns("test_image_content", image);
  returns("test_audio_content", { type: "audio", data: silence, mimeType: "audio/wav" });
  returns("test_embedded_resource", resource("test://embedded-resource", "text/plain", "This is an embedded resource content."));
  returns(
    "test_multiple_content_types",
    text("Multiple content types test:"),
    image,
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  );
  server.registerTool("test_error_handling", { description: "Fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  server.registerTool("test_tool_with_progress", { description: "Tells its progress" }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
    return content(text("Done."));
  });
  for (const name of ["test_tool_with_logging", "test_logging_tool"])
    server.registerTool(name, { description: "Logs" }, async ({ mcpReq }) => {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"])
        await mcpReq.log("info", data);
      return content(text("Done."));
    });
}

const form = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  });
const question = inputRequired.createMessage({
  messages: [{ role: "user", content: { type: "text", text: "What is the capital of France?" } }],
  maxTokens: 100,
});

/** Tools that ask: one request for each key, and the same again until all are answered. */
function addQuestions(server: McpServer, codec: ReturnType<typeof createRequestStateCodec<number>>): void {
  type Requests = Record<string, ReturnType<typeof form>>;
  const asks = (name: string, requests: Requests, hasState: boolean) =>
    server.registerTool(name, { description: name }, async (ctx) => {
      const given = Object.keys(requests).map((key) => inputResponse(ctx.mcpReq.inputResponses, key));
      if (given.some(({ kind }) => kind === "missing"))
        return inputRequired({ inputRequests: requests, ...(hasState && { requestState: await codec.mint(1) }) });
      return content(text(`state-ok ${JSON.stringify(given)}`));
    });
  const name = form("What is your name?", "name");
  asks("test_input_required_result_elicitation", { user_name: name }, false);
  asks("test_streaming_elicitation", { user_name: name }, false);
  asks("test_input_required_result_sampling", { capital_question: question }, false);
  asks("test_input_required_result_list_roots", { client_roots: inputRequired.listRoots() }, false);
  asks("test_input_required_result_request_state", { confirm: form("Confirm?", "ok") }, true);
  asks("test_input_required_result_tampered_state", { confirm: form("Confirm?", "ok") }, true);
  asks(
    "test_input_required_result_multiple_inputs",
    { user_name: name, greeting: question, client_roots: inputRequired.listRoots() },
    true,
  );
  asks("test_missing_capability", { answer: question }, false);
  server.registerTool("test_input_required_result_multi_round", { description: "Asks twice" }, async ({ mcpReq }) => {
    const round = mcpReq.requestState<number>() ?? 0;
    if (round >= 2) return content(text("Done."));
    const inputRequests = { [`step${round + 1}`]: form(`Step ${round + 1}`, "answer") };
    return inputRequired({ inputRequests, requestState: await codec.mint(round + 1) });
  });
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: "Asks what the client can answer" },
    ({ mcpReq }) => {
      const envelope = mcpReq.envelope as Record<string, { elicitation?: object; sampling?: object }> | undefined;
      const can = envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
      const requests = { ...(can.elicitation && { user_name: name }), ...(can.sampling && { capital_question: question }) };
      return Object.keys(requests).length > 0
        ? inputRequired({ inputRequests: requests })
        : content(text("Nobody can be asked."));
    },
  );
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks" }, ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, "user_context");
    if (given.kind === "missing") return inputRequired({ inputRequests: { user_context: form("What context?", "context") } });
    return { messages: [{ role: "user" as const, content: text(JSON.stringify(given)) }] };
  });
}

function addResources(server: McpServer): void {
  const plain = { description: "A text", mimeType: "text/plain" };
  server.registerResource("static-text", "test://static-text", plain, ({ href }) => ({
    contents: [{ uri: href, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerResource(
    "static-binary",
    "test://static-binary",
    { description: "A picture", mimeType: "image/png" },
    ({ href }) => ({
      contents: [{ uri: href, mimeType: "image/png", blob: pixel }],
    }),
  );
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { description: "Data", mimeType: "application/json" }, ({ href }, { id }) => ({
    contents: [
      { uri: href, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) },
    ],
  }));
}

function addPrompts(server: McpServer): void {
  const message = (block: object) => ({ messages: [{ role: "user" as const, content: block as ReturnType<typeof text> }] });
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, () =>
    message(text("This is a simple prompt for testing.")),
  );
  const argument = () => completable(z.string(), (typed) => ["paris", "park", "party"].filter((word) => word.startsWith(typed)));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With arguments", argsSchema: z.object({ arg1: argument(), arg2: argument() }) },
    ({ arg1, arg2 }) => message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => message(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
  );
  server.registerPrompt("test_prompt_with_image", { description: "With a picture" }, () => message(image));
}

export function fixtureServer({ stateKey }: Host): McpServer {
  const codec = createRequestStateCodec<number>({ key: stateKey });
  const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} };
  const server = new McpServer({ name: "fixtures", version: "1.0.0" }, { capabilities, requestState: { verify: codec.verify } });
  addContents(server);
  addQuestions(server, codec);
  addResources(server);
  addPrompts(server);
  return server;
}
