import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract } from "../../src/contract/index.ts";
import type { Deps } from "../app/deps.ts";
import { type Call, type Handler, RawResponse } from "../http/call.ts";
import { uploadsOf } from "./index.ts";

/** What tus 1.0 does with an upload that exists: outside the contract, whose replies are JSON, but behind the same key. */
export const uploadMethods = ["HEAD", "PATCH", "DELETE", "OPTIONS"] as const;

export const uploadEndpoint: Endpoint = {
  ...contract.createVideoUpload,
  path: "/uploads/:id",
  access: { anyOf: ["game_owner", "playtester"] },
};

export const uploadHandler =
  (deps: Deps): Handler<Endpoint> =>
  async (call: Call<Endpoint>) =>
    new RawResponse((request, response) =>
      uploadsOf(deps).serve((call.params as { id: string }).id, call.principal.userId, request, response),
    );
