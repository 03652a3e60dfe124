/** A node of the route tree, one level per path segment. Literal segments take precedence over parameters, which match only ids. */
interface Node<T> {
  literal: Map<string, Node<T>>;
  parameter: Node<T> | undefined;
  methods: Map<string, T>;
}

export interface Match<T> {
  methods: ReadonlyMap<string, T>;
  /** The parameters' values in the order of the path, UUIDs in lower case. Their names depend on the route. */
  values: string[];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const createNode = <T>(): Node<T> => ({ literal: new Map(), parameter: undefined, methods: new Map() });

export interface Router<T> {
  add(method: string, path: string, target: T): void;
  /** The routes of a path, by method. Undefined for an unknown path. The caller checks the method. */
  match(path: string): Match<T> | undefined;
}

/** What other servers of this API may use as ids: anything that needs no escapes in a path. */
export const opaqueIds = /^\w[\w.~:-]{0,127}$/;

/** `ids`: what parameters match; this server's ids are UUIDs. */
export function createRouter<T>({ ids = uuid }: { ids?: RegExp } = {}): Router<T> {
  const root = createNode<T>();

  return {
    add(method, path, target) {
      let node = root;
      for (const segment of path.split("/").slice(1)) {
        if (segment.startsWith(":")) {
          node.parameter ??= createNode();
          node = node.parameter;
          continue;
        }
        let next = node.literal.get(segment);
        if (!next) {
          next = createNode();
          node.literal.set(segment, next);
        }
        node = next;
      }
      if (node.methods.has(method)) throw new Error(`${method} ${path} is declared twice`);
      node.methods.set(method, target);
    },

    match(path) {
      let node = root;
      const values: string[] = [];
      for (const segment of path.split("/").slice(1)) {
        const literal = node.literal.get(segment);
        if (literal) {
          node = literal;
          continue;
        }
        if (!node.parameter || !ids.test(segment)) return undefined;
        values.push(uuid.test(segment) ? segment.toLowerCase() : segment);
        node = node.parameter;
      }
      return node.methods.size > 0 ? { methods: node.methods, values } : undefined;
    },
  };
}
