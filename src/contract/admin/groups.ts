import * as z from "zod";
import { audited, endpoint, KiB } from "../endpoint.ts";
import { email, id, pageQuery, timestamp } from "../fields.ts";
import { groupName } from "../order-body.ts";

const accounts = { access: ["accounts"], extension: true } as const;

export const group = z
  .strictObject({ id: id(), name: z.string(), members: z.int(), createdAt: timestamp() })
  .meta({ id: "TesterGroup" });

export const groupMember = z
  .strictObject({ id: id(), email: z.string(), displayName: z.string(), addedAt: timestamp() })
  .meta({ id: "TesterGroupMember" });

const emails = z.strictObject({
  emails: z.array(email()).min(1).max(1000).meta({ description: "Email addresses of playtesters." }),
});
const changed = z.strictObject({
  group,
  changed: z.int().meta({ description: "Members that were added or removed." }),
  unknown: z.array(z.string()).meta({ description: "Email addresses that belong to no playtester; they were skipped." }),
});

export const groups = {
  listGroups: endpoint("GET /admin/groups", {
    ...accounts,
    summary: "List tester groups",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ groups: z.array(group) }),
  }),
  createGroup: endpoint("POST /admin/groups", {
    ...accounts,
    ...audited("group.create"),
    summary: "Create a tester group that playtests can be offered to",
    body: z.strictObject({ name: groupName().meta({ description: "Short name of the group, such as `qa`." }) }),
    status: 201,
    reply: z.strictObject({ group }),
  }),
  deleteGroup: endpoint("DELETE /admin/groups/:id", {
    ...accounts,
    ...audited("group.delete"),
    summary: "Delete a tester group that no running playtest is for",
    risk: "destroy",
    reply: z.strictObject({ group }),
  }),
  listGroupMembers: endpoint("GET /admin/groups/:id/members", {
    ...accounts,
    summary: "List the members of a tester group",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ members: z.array(groupMember) }),
  }),
  addGroupMembers: endpoint("POST /admin/groups/:id/members", {
    ...accounts,
    ...audited("group.add_members"),
    summary: "Add playtesters to a tester group",
    body: emails,
    maxBodyBytes: 1024 * KiB,
    reply: changed,
  }),
  removeGroupMembers: endpoint("POST /admin/groups/:id/members/remove", {
    ...accounts,
    ...audited("group.remove_members"),
    summary: "Remove playtesters from a tester group; they keep the slots they have",
    body: emails,
    maxBodyBytes: 1024 * KiB,
    reply: changed,
  }),
};
