import { describe, expect, it } from "vitest";
import * as states from "../../src/contract/states/index.ts";
import { leaves, type Moves, sourcesOf, targetOf } from "../../src/contract/states/moves.ts";

const tables = Object.entries(states).filter(([name]) => name.endsWith("Moves")) as [string, Moves<string>][];

describe.each(tables)("%s", (_, moves) => {
  it("names a move of several states only where it leads to one state", () => {
    const targets = new Map<string, Set<string>>();
    for (const leaving of Object.values(moves))
      for (const [move, target] of Object.entries(leaving)) targets.set(move, (targets.get(move) ?? new Set()).add(target));
    expect([...targets].filter(([, found]) => found.size > 1)).toEqual([]);
  });
});

describe("a move", () => {
  it("leaves the states that the table gives it to, and no other", () => {
    expect(sourcesOf(states.slotMoves, "release")).toEqual(["reserved", "blocked"]);
    expect(states.slotStatuses.filter((status) => leaves(states.slotMoves, status, "release"))).toEqual(["reserved", "blocked"]);
    expect(leaves(states.slotMoves, "no such state", "release")).toBe(false);
  });

  it("leads to one state", () => {
    expect(targetOf(states.slotMoves, "release")).toBe("cancelled");
    expect(targetOf(states.paymentMoves, "pay")).toBe("completed");
  });
});

describe("states and moves", () => {
  const named = Object.fromEntries(tables.map(([name, moves]) => [name.replace("Moves", ""), moves]));

  it.each(Object.entries(named))("the states of %s are those of its table, and its moves lead to no other", (name, moves) => {
    const statuses = (states as unknown as Record<string, readonly string[]>)[`${name}Statuses`]!;
    expect(Object.keys(moves).sort()).toEqual([...statuses].sort());
    const targets = new Set(Object.values(moves).flatMap((leaving) => Object.values(leaving)));
    expect([...targets].filter((state) => !statuses.includes(state))).toEqual([]);
  });

  it("are these: what a row may become, and by what", () => {
    const lines = Object.entries(named).flatMap(([name, moves]) =>
      Object.entries(moves).map(([state, leaving]) => {
        const ways = Object.entries(leaving).map(([move, target]) => `${move} → ${target}`);
        return `${name} ${state}: ${ways.join(", ") || "final"}`;
      }),
    );
    expect(lines.join("\n")).toMatchInlineSnapshot(`
      "slot open: reserve → reserved, expire → expired, cancel → cancelled
      slot reserved: submit → submitted, expire → expired, release → cancelled, report → blocked, cancel → cancelled
      slot submitted: accept → accepted, publish → publishing, reject → rejected
      slot publishing: finish → accepted, reject → rejected
      slot blocked: unblock → reserved, release → cancelled, cancel → cancelled
      slot accepted: final
      slot rejected: final
      slot expired: final
      slot cancelled: final
      playtest pending_payment: activate → active, cancel → cancelled
      playtest active: complete → completed, cancel → cancelled, expire → expired
      playtest completed: final
      playtest cancelled: final
      playtest expired: final
      approval pending: approve → approved, decline → declined, expire → expired
      approval approved: final
      approval declined: final
      approval expired: final
      application pending: approve → approved, reject → rejected, close → auto_rejected, withdraw → withdrawn
      application approved: final
      application rejected: final
      application auto_rejected: final
      application withdrawn: final
      game active: suspend → suspended
      game suspended: unsuspend → active
      payment pending: pay → completed, fail → failed, cancel → cancelled
      payment failed: pay → completed
      payment cancelled: pay → completed
      payment completed: dispute → disputed, refund → refunded
      payment disputed: restore → completed, refund → refunded
      payment refunded: restore → completed, dispute → disputed
      reversal taken: return → returned
      reversal returned: final
      subscription incomplete: start → active, end → cancelled
      subscription active: renew → active, miss → past_due, end → cancelled
      subscription past_due: renew → active, miss → past_due, end → cancelled
      subscription cancelled: start → active
      deposit suspense: credit → credited, refund → refunded
      deposit credited: final
      deposit refunded: final
      payout pending: complete → completed, fail → failed
      payout completed: fail → failed
      payout failed: final
      upload open: complete → completed, replace → replaced, refuse → refused, terminate → terminated, expire → expired
      upload completed: replace → replaced, expire → expired
      upload replaced: final
      upload refused: final
      upload terminated: final
      upload expired: final
      transcription pending: begin → processing, fail → failed
      transcription processing: begin → processing, approve → approved, fail → failed
      transcription approved: edit → approved, revert → approved
      transcription failed: edit → approved, begin → processing, fail → failed
      clip pending: finish → ready, fail → failed
      clip ready: final
      clip failed: finish → ready, fail → failed
      publication waiting: wait → waiting, upload → uploading, process → processing, publish → published, block → blocked, fail → failed, remove → removed
      publication uploading: wait → waiting, upload → uploading, process → processing, publish → published, block → blocked, fail → failed, remove → removed
      publication processing: wait → waiting, upload → uploading, process → processing, publish → published, block → blocked, fail → failed, remove → removed
      publication published: remove → removed
      publication blocked: wait → waiting, remove → removed
      publication failed: wait → waiting, publish → published, remove → removed
      publication removed: final
      delivery pending: deliver → delivered, fail → failed, pause → paused, cancel → cancelled, redeliver → pending
      delivery paused: deliver → delivered, fail → failed, resume → pending, cancel → cancelled, redeliver → pending
      delivery held: cancel → cancelled, redeliver → pending
      delivery test: deliver → delivered, fail → failed, redeliver → pending
      delivery delivered: redeliver → pending
      delivery failed: redeliver → pending
      delivery cancelled: final
      job queued: giveUp → dead
      job dead: requeue → queued"
    `);
  });

  it("a move that no state has is a defect of the caller", () => {
    expect(() => targetOf(states.slotMoves, "fly" as "release")).toThrow("No state has a move fly.");
  });
});
