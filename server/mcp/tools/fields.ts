import * as z from "zod";

/** Fields that several tools share. */
export const id = () => z.uuid().toLowerCase();
export const limit = z.int().min(1).max(20).default(5);
export const cursor = z.string().max(4096).optional();
export const fields = z.array(z.string()).optional();

/** What every answer that can be cut says. */
export const more = { truncated: z.boolean(), cursor: z.string().optional() };

export const text = () => z.string().optional();
export const count = () => z.int().optional();
export const flag = () => z.boolean().optional();
export const list = <S extends z.ZodRawShape>(shape: S) => z.array(z.object(shape));
