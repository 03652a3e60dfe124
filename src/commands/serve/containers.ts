import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { define, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { writeNew } from "./new-files.ts";
import { refused } from "./refused.ts";

const databases = ["sqlite", "postgresql"] as const;

const flags = {
  publicUrl: flag.text("Address of the server for its clients", { value: "URL" }),
  database: flag.choice(databases, "Database of the server (default sqlite)"),
  image: flag.text("Image of the server, built with the Dockerfile of the repository (default playtest)", { value: "NAME" }),
};

const missingUrl = () =>
  usage("Missing --public-url.", "Pass the address that clients use, such as https://playtest.example.com.");

export const compose = define({
  name: "compose",
  summary: "Write files for Docker Compose",
  description:
    "The files start the server with Caddy in front of it, which gets the certificate. With PostgreSQL, two processes of the server " +
    "share the database and a volume, and a password of the database is made. Existing files are not replaced.",
  risk: "local",
  args: {},
  flags: { ...flags, to: flag.text("Folder to write to (default: the current one)", { value: "DIR" }) },
  examples: [
    "playtest serve compose --public-url https://playtest.example.com",
    "playtest serve compose --public-url https://playtest.example.com --database postgresql --to deploy",
  ],
  async run({ flags: { publicUrl, database = "sqlite", image = "playtest", to = "." } }, ctx) {
    if (publicUrl === undefined) throw missingUrl();
    const { composeFiles } = await import("../../../server/operations/containers/compose.ts");
    const password = randomBytes(24).toString("hex");
    const files = await composeFiles({ publicUrl, postgresql: database === "postgresql", image, password }).catch(
      (error: unknown) => Promise.reject(refused(error)),
    );
    const folder = resolve(ctx.io.cwd(), to);
    const names = files.map(({ name }) => name);
    const result = { folder, files: names };
    if (ctx.flags.dryRun) return ctx.text(`${names.join(", ")} would be written in ${to}. Nothing was changed.`, { result });
    await writeNew(folder, files);
    return ctx.text(`Wrote ${names.join(", ")} in ${to}. Start the server there with \`docker compose up --detach\`.`, {
      result,
    });
  },
});

export const kubernetes = define({
  name: "kubernetes",
  summary: "Print manifests for Kubernetes",
  description:
    "The manifests are a volume, a deployment with probes and a read-only root, a service and an ingress. Settings and secrets are in a Secret that you create. " +
    "With PostgreSQL, two processes run, so that one answers while the other is replaced; they need a volume that several nodes can mount.",
  risk: "local",
  args: {},
  flags: {
    ...flags,
    replicas: flag.integer("Processes of the server (default 1; 2 with PostgreSQL)", { min: 1, max: 100, value: "N" }),
    storage: flag.text("Size of the volume for videos and builds (default 100Gi)", { value: "SIZE" }),
    ingressClass: flag.text("Class of the ingress (default nginx)", { value: "NAME" }),
  },
  examples: [
    "playtest serve kubernetes --public-url https://playtest.example.com | kubectl apply -f -",
    "playtest serve kubernetes --public-url https://playtest.example.com --database postgresql --image registry.example.com/playtest:1",
  ],
  async run(
    { flags: { publicUrl, database = "sqlite", image = "playtest", replicas, storage = "100Gi", ingressClass = "nginx" } },
    ctx,
  ) {
    if (publicUrl === undefined) throw missingUrl();
    const { kubernetesManifests } = await import("../../../server/operations/containers/kubernetes.ts");
    const postgresql = database === "postgresql";
    const count = replicas ?? (postgresql ? 2 : 1);
    try {
      const manifests = kubernetesManifests({ publicUrl, postgresql, image, replicas: count, storage, ingressClass });
      return ctx.verbatim(manifests.trimEnd(), { result: { manifests } });
    } catch (error) {
      throw refused(error);
    }
  },
});
