import { stringify } from "yaml";
import { ConfigError } from "../../config/read.ts";
import { checkOptions } from "../../config/serve-options.ts";
import { addressIn } from "../proxies.ts";
import { dataPath, port, serveArguments, startSeconds, stopSeconds, user } from "./images.ts";

export interface KubernetesOptions {
  /** Address of the server for its clients. */
  publicUrl: string;
  /** Whether PostgreSQL takes the place of SQLite. */
  postgresql: boolean;
  /** Name of the server's image, as the cluster finds it. */
  image: string;
  /** Processes of the server; more than one only with PostgreSQL. */
  replicas: number;
  /** Size of the volume, such as 100Gi. */
  storage: string;
  /** Class of the ingress. */
  ingressClass: string;
}

const name = "playtest";
const labels = { "app.kubernetes.io/name": name };
const metadata = { name, labels };

/** How often (seconds) a container is asked. */
const probeSeconds = 5;

/**
 * Manifests for Kubernetes. One process is replaced by the next; of several, which need PostgreSQL, the others run meanwhile. Throws
 * ConfigError for options that cannot work.
 */
export function kubernetesManifests(options: KubernetesOptions): string {
  checkOptions({ publicUrl: options.publicUrl, version: "" });
  if (!options.postgresql && options.replicas > 1)
    throw new ConfigError("SQLite is used by one process. Pass --replicas 1, or --database postgresql.");
  if (!/^\d+(Mi|Gi|Ti)$/.test(options.storage))
    throw new ConfigError(`--storage ${options.storage} is not the size of a volume. Pass a size such as 100Gi.`);
  const documents: object[] = [volume(options), deployment(options), service(), ingress(options)];
  if (options.replicas > 1) documents.push(disruptionBudget());
  return `${head(options)}${documents.map((document) => stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n")}`;
}

const head = ({
  postgresql,
}: KubernetesOptions) => `# Settings and secrets are environment variables of a Secret, from a file of NAME=value lines (playtest help environment):
#   kubectl create secret generic ${name} --from-env-file=playtest.env
${postgresql ? "# The file must have PLAYTEST_DATABASE_URL, with sslmode=verify-full where the database is outside of the cluster.\n" : ""}# The API key of the administrator, once: kubectl exec deploy/${name} -- cat ${dataPath}/admin-key
`;

const volume = ({ replicas, storage }: KubernetesOptions) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata,
  spec: {
    // Videos and builds are files that all processes share.
    accessModes: [replicas > 1 ? "ReadWriteMany" : "ReadWriteOnce"],
    resources: { requests: { storage } },
  },
});

const ask = (path: string) => ({ httpGet: { path, port: "http" }, periodSeconds: probeSeconds, timeoutSeconds: 3 });

function deployment({ publicUrl, postgresql, image, replicas }: KubernetesOptions) {
  const rolling = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
  const container = {
    name,
    image,
    args: serveArguments(publicUrl, postgresql),
    ports: [{ name: "http", containerPort: port }],
    envFrom: [{ secretRef: { name, optional: !postgresql } }],
    startupProbe: { ...ask("/livez"), failureThreshold: startSeconds / probeSeconds },
    livenessProbe: { ...ask("/livez"), failureThreshold: 6 },
    readinessProbe: { ...ask("/readyz"), failureThreshold: 1 },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    resources: { requests: { cpu: "250m", memory: "256Mi" }, limits: { memory: "1Gi" } },
    volumeMounts: [
      { name: "data", mountPath: dataPath },
      { name: "tmp", mountPath: "/tmp" },
    ],
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      replicas,
      strategy: replicas > 1 ? rolling : { type: "Recreate" },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: stopSeconds,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: user,
            runAsGroup: user,
            fsGroup: user,
            fsGroupChangePolicy: "OnRootMismatch",
            seccompProfile: { type: "RuntimeDefault" },
          },
          automountServiceAccountToken: false,
          containers: [container],
          volumes: [
            { name: "data", persistentVolumeClaim: { claimName: name } },
            { name: "tmp", emptyDir: {} },
          ],
        },
      },
    },
  };
}

const service = () => ({
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: "http" }] },
});

/** Uploads of any size pass through while they arrive, and event streams are not held back. */
const nginxAnnotations = {
  "nginx.ingress.kubernetes.io/proxy-body-size": "0",
  "nginx.ingress.kubernetes.io/proxy-request-buffering": "off",
  "nginx.ingress.kubernetes.io/proxy-buffering": "off",
  "nginx.ingress.kubernetes.io/proxy-read-timeout": "330",
  "nginx.ingress.kubernetes.io/proxy-send-timeout": "330",
};

function ingress({ publicUrl, ingressClass }: KubernetesOptions) {
  const url = new URL(publicUrl);
  // Kubernetes takes names only. Without one, the rule and the certificate are for whatever host a client asks for.
  const host = addressIn(url) === undefined ? url.hostname : undefined;
  const backend = { service: { name, port: { name: "http" } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { ...metadata, ...(ingressClass === "nginx" && { annotations: nginxAnnotations }) },
    spec: {
      ingressClassName: ingressClass,
      ...(url.protocol === "https:" && { tls: [{ ...(host && { hosts: [host] }), secretName: `${name}-tls` }] }),
      rules: [{ ...(host && { host }), http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    },
  };
}

const disruptionBudget = () => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata,
  spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
});
