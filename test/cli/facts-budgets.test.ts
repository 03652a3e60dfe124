import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { commandFacts, type Fact, type Scene } from "../helpers/command-facts.ts";
import { type Person, personWith } from "../helpers/factories.ts";

/** A key of the owner with these budgets. */
async function keyWith({ server, owner }: Scene, budgets: object[]): Promise<Person> {
  return personWith(server, (await owner.post("/auth/api-keys", { name: "agent", budgets })).body.data.apiKey, owner.id);
}

let agent: Person;
let budgetId = "";
let approvalId = "";

const count = async ({ owner, gameId }: Scene) => (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests.length;
const orderBy = ({ gameId }: Scene, by: Person) => by.post(`/games/${gameId}/playtests`, {});

const perDay = { period: "day", limitCents: 2000 };

/** An order of the agent that waits. */
async function waiting(scene: Scene): Promise<string> {
  agent = await keyWith(scene, [{ period: "order", approveOverCents: 1000 }]);
  approvalId = (await orderBy(scene, agent)).body.data.approval.id;
  return approvalId;
}

const budgets: Fact[] = [
  {
    says: "What it limited is limited no more.",
    asks: true,
    async line(scene) {
      agent = await keyWith(scene, [perDay]);
      budgetId = (await scene.owner.get("/billing/budgets")).body.data.budgets[0].id;
      return `billing budgets remove ${budgetId}`;
    },
    async holds(scene) {
      const replies = [await orderBy(scene, agent), await orderBy(scene, agent)];
      expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    },
  },
  {
    says: "Removed the budget. It was: Left today: $20.00 of $20.00.",
    async line({ owner }) {
      budgetId = (await owner.post("/billing/budgets", perDay)).body.data.budget.id;
      return `billing budgets remove ${budgetId} --yes`;
    },
    async holds({ owner }) {
      expect((await owner.get("/billing/budgets")).body.data.budgets).toEqual([]);
    },
  },
  {
    says: "Left today: $30.00 of $50.00",
    async line({ gameId, run }) {
      await run("billing budgets set 50/day");
      return `order ${gameId} --yes`;
    },
    async holds({ owner }) {
      expect((await owner.get("/billing/budgets")).body.data.budgets).toMatchObject([{ spentCents: 2000, limitCents: 5000 }]);
    },
  },
  {
    says: /A budget of this account does not cover \$20\.00\. Left this month: \$10\.00 of \$10\.00\. .* Nothing was ordered or charged\./,
    code: 7,
    async line({ gameId, run }) {
      await run("billing budgets set 10/month");
      return `order ${gameId} --yes`;
    },
    async holds(scene) {
      expect(await count(scene)).toBe(0);
    },
  },
  {
    says: "1 playtest ordered for $20.00; 0 already ordered, 0 failed, 1 left.",
    code: 7,
    async line(scene) {
      await scene.run("billing budgets set 30/day");
      writeFileSync(join(scene.cwd, "orders.csv"), `game,quantity\n${scene.gameId},1\n${scene.gameId},1\n`);
      return "bulk orders.csv --yes --concurrency 1";
    },
    async holds(scene, { stderr }) {
      expect(stderr.replace(/\s+/g, " ")).toContain(
        "A budget of this account does not cover $20.00. Left today: $10.00 of $30.00.",
      );
      expect(await count(scene)).toBe(1);
    },
  },
  {
    says: "At most in one order: $20.00, 5 slots; orders over $10.00 wait for approval",
    async line({ run }) {
      await run("auth keys create --name agent --budget 20/order --budget 5slots/order --approve-over 10");
      return "billing budgets list";
    },
    async holds({ owner }) {
      expect((await owner.get("/billing/budgets")).body.data.budgets).toMatchObject([
        { period: "order", limitCents: 2000, limitSlots: 5, limitMinutes: null, approveOverCents: 1000 },
      ]);
    },
  },
  {
    says: "The API key is read-only. Nothing was changed.",
    code: 5,
    async line(scene) {
      const { apiKey } = JSON.parse((await scene.run("auth keys create --name report --read-only --json")).stdout);
      agent = personWith(scene.server, apiKey, scene.owner.id);
      scene.owner.key = apiKey;
      return `order ${scene.gameId} --yes`;
    },
    async holds(scene) {
      expect([await count(scene), (await agent.get("/games")).status]).toEqual([0, 200]);
    },
  },
];

const approvals: Fact[] = [
  {
    says: "The order waits for the approval of the account's owner. Nothing was ordered or charged yet.",
    code: 8,
    async line(scene) {
      agent = await keyWith(scene, [{ period: "order", approveOverCents: 1000 }]);
      scene.owner.key = agent.key;
      return `order ${scene.gameId} --yes`;
    },
    async holds(scene) {
      expect(await count(scene)).toBe(0);
      expect((await agent.get("/approvals?status=pending")).body.data.approvals).toHaveLength(1);
    },
  },
  {
    says: "Whoever ordered has to order again.",
    asks: true,
    line: async (scene) => `approvals decline ${await waiting(scene)}`,
    async holds(scene) {
      expect((await scene.owner.post(`/approvals/${approvalId}/approve`)).status).toBe(409);
      expect([(await orderBy(scene, agent)).status, await count(scene)]).toEqual([202, 0]);
    },
  },
  {
    says: "approved",
    line: async (scene) => `approvals approve ${await waiting(scene)} --yes`,
    async holds(scene) {
      expect(await count(scene)).toBe(1);
    },
  },
];

commandFacts([...budgets, ...approvals]);
