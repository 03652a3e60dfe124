// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import type { Mutant } from "../mutant.ts";

const rules = "server/billing/crypto/rules.ts";
const deposits = "server/billing/crypto/deposits.ts";
const completing = "server/billing/crypto/complete-quote.ts";
const holding = "server/billing/crypto/hold.ts";
const releasing = "server/billing/crypto/release.ts";
const proving = "server/billing/crypto/proving/prove.ts";
const eip191 = "server/billing/crypto/signatures/eip191.ts";
const proofs = "server/billing/crypto/proofs.ts";
const quotes = "server/billing/crypto/quotes.ts";
const arrivals = "server/billing/crypto/arrivals.ts";
const confirming = "server/billing/crypto/confirm-deposit.ts";
const scanning = "server/billing/crypto/scan-deposits.ts";
const x402 = "server/billing/crypto/x402.ts";
const evm = "server/billing/crypto/chains/evm.ts";
const solana = "server/billing/crypto/chains/solana.ts";
const contract = "src/contract/billing.ts";

const topUp: readonly Omit<Mutant, "test">[] = [
  { rule: "the 402 says what to pay", edits: [[quotes, "    payment: errorPayment(instructions),\n", ""]] },
  { rule: "the 402 has X-Payment", edits: [[x402, 'return { "X-Payment": ascii(own) };', "return {};"]] },
  { rule: "at least 500 by crypto", edits: [[contract, ".min(500)", ".min(501)"]] },
  { rule: "not less than 500 by crypto", edits: [[contract, ".min(500)", ".min(499)"]] },
  { rule: "at most 1000000 by crypto", edits: [[contract, ".min(500).max(1_000_000)", ".min(500).max(1_000_001)"]] },
  {
    rule: "no two open quotes share an amount",
    edits: [["server/billing/crypto/store.ts", "  if (taken) return false;\n", "  void taken;\n"]],
  },
  {
    rule: "a quote's amount says whose it is",
    edits: [[rules, 'if (meant && meant.ownerId !== caller) return { is: "foreign" };', ""]],
  },
  {
    rule: "a transfer is booked once",
    edits: [
      [
        deposits,
        "transfersOf(proof, seen).filter(({ index }) => !booked.some(({ tx_index }) => tx_index === index));",
        "transfersOf(proof, seen);",
      ],
    ],
  },
  {
    rule: "a proof that is sent again while the first is booked is no proof without a quote",
    edits: [
      [
        proofs,
        "    let other: crypto.QuoteRow | undefined;\n",
        "    if ((await crypto.depositsOf(q, proof.chain, proof.txHash)).length > 0) return;\n    let other: crypto.QuoteRow | undefined;\n",
      ],
      [proofs, "is there.\n    if ((await crypto.depositsOf(q, proof.chain, proof.txHash)).length > 0) return;\n", "is there.\n"],
    ],
  },
  {
    rule: "the same owner's repetition is the same reply",
    edits: [
      [deposits, "const again = await repeat(tx, proof, booked, scope);", "const again = undefined as Received | undefined;"],
    ],
  },
  { rule: "another quote of the same owner is not paid by it", edits: [[completing, "await crypto.setPaid(tx, quote.id);", ""]] },
  { rule: "a paid quote is not paid again", edits: [[rules, 'if (meant?.paid) return { is: "again", quote: meant };', ""]] },
  {
    rule: "an overpayment is credited whole",
    edits: [
      [
        deposits,
        "Math.max(quote.amount_cents, worthOf(amount, currency, price, { atomic, rate: quote.rate }))",
        "Math.min(quote.amount_cents, worthOf(amount, currency, price, { atomic, rate: quote.rate }))",
      ],
    ],
  },
  { rule: "an underpayment does not pay", edits: [[rules, 'if (amount < quote.atomic) return { is: "short", quote };', ""]] },
  {
    rule: "an underpayment is in suspense",
    edits: [[holding, "if (cents > 0) {", "if (cents < 0) {"]],
  },
  {
    rule: "a late deposit does not pay",
    edits: [
      [
        rules,
        'return covers(meant, transfer.at) ? { is: "paid", quote: meant } : { is: "late", quote: meant };',
        'return { is: "paid", quote: meant };',
      ],
    ],
  },
  {
    rule: "a deposit in time counts whenever it is named",
    edits: [
      [deposits, "judgeOne(tx, proof, transfer, seen.at, scope)", "judgeOne(tx, proof, transfer, deps.clock.now(), scope)"],
    ],
  },
  {
    rule: "another amount pays nobody while others may have sent it",
    edits: [[rules, 'if (rivals) return { is: "unclear", quote };', ""]],
  },
  {
    rule: "another currency does not pay",
    edits: [[deposits, "seen.transfers.filter((one) => one.currency === currency)", "seen.transfers"]],
  },
  {
    rule: "there must be something to pay",
    edits: [[proofs, "await checkAsked(deps, proof, scope);", ""]],
  },
  {
    rule: "a transaction of another chain is told so",
    edits: [[proofs, "if (!seen && (await isElsewhere(deps, proof)))", 'if (!seen && proof.txHash === "")']],
  },
  { rule: "what failed does not pay", edits: [[proofs, 'if (seen.status === "reverted") throw', "if (seen.at < 0) throw"]] },
  { rule: "what is not final does not pay", edits: [[proofs, "if (!seen?.final) throw", "if (!seen) throw"]] },
  { rule: "not final: Retry-After", edits: [[proofs, '{ headers: { "Retry-After": String(lookAgainSeconds) } }', "{}"]] },
  {
    rule: "what was not final is looked at again",
    edits: [
      [
        proofs,
        "if (!(await crypto.addPendingProof(tx, note, maxWaiting))) return;",
        "await crypto.addPendingProof(tx, note, maxWaiting);\n    if (now > 0) return;",
      ],
    ],
  },
  {
    rule: "what is gone before it was final is not credited",
    edits: [
      [confirming, "if (!seen?.final && waited", "if (!seen && waited"],
      [confirming, "if (seen?.final && seen.status", "if (seen && seen.status"],
    ],
  },
  {
    rule: "what a chargeback left owing is settled first",
    edits: [[completing, "Math.min(await balance(tx, accounts.receivable(payment.owner_id)), spare)", "Math.min(0, spare)"]],
  },
  {
    rule: "event payment.completed",
    edits: [
      [
        completing,
        "await announcePaid(deps, tx, { ...payment, external_id: txHash, amount_cents: cents, completed_at: now });",
        "",
      ],
    ],
  },
];

const window: readonly Omit<Mutant, "test">[] = [
  { rule: "in time is to the last millisecond", edits: [[rules, "&& at <= quote.expiresAt;", "&& at < quote.expiresAt;"]] },
  { rule: "in time ends with the quote", edits: [[rules, "&& at <= quote.expiresAt;", "&& at <= quote.expiresAt + 1;"]] },
  {
    rule: "a transaction older than its quote pays nothing",
    edits: [
      [rules, "asked = mine.filter((quote) => at >= quote.createdAt - skewMs)", "asked = mine.filter(() => true)"],
      [rules, "exact.filter((quote) => quote.createdAt <= transfer.at)", "exact.filter(() => true)"],
      [rules, "at >= quote.createdAt - skewMs && at <= quote.expiresAt", "at <= quote.expiresAt"],
    ],
  },
  { rule: "clocks may differ by a minute", edits: [[rules, "skewMs = 60_000", "skewMs = 60_001"]] },
];

const onEvm: readonly Omit<Mutant, "test">[] = [
  { rule: "the contract is USDC's", edits: [[evm, "sameAddress(entry.address, usdc) && ", ""]] },
  {
    rule: "the tokens came to the receiver",
    edits: [[evm, "  sameAddress(`0x${topics[2]!.slice(-40)}`, receiver) &&\n", ""]],
  },
  {
    rule: "an NFT is no token",
    edits: [
      [evm, "topics.length === 3 &&", "topics.length >= 3 &&"],
      [evm, " &&\n  data.length === 66", ""],
      [evm, "BigInt(data)", 'BigInt(data === "0x" ? topics[3]! : data)'],
    ],
  },
  {
    rule: "it is a transfer",
    edits: [[evm, "topics[0]!.toLowerCase() === transferTopic", "topics.length > 0"]],
  },
  { rule: "coins came to the receiver", edits: [[evm, "!sameAddress(sent.to, receiver) || ", ""]] },
  {
    rule: "a reverted transaction pays nothing",
    edits: [[evm, 'mined.status === 1n ? "success" : "reverted"', '"success"']],
  },
  { rule: "enough confirmations", edits: [[evm, ">= BigInt(confirmations ?? 1)", ">= 1n"]] },
  {
    rule: "a block that was given up is no block",
    edits: [[evm, "if (inBlock?.hash !== mined.blockHash) return waiting;", "if (!inBlock) return waiting;"]],
  },
  {
    rule: "transfers of one transaction are told apart",
    edits: [[evm, "index: Number(logIndex)", "index: 0"]],
  },
  {
    rule: "the node is of the right chain",
    edits: [[evm, "if (actual !== BigInt(chainId)) throw", "if (actual < 0n) throw"]],
  },
];

const onSolana: readonly Omit<Mutant, "test">[] = [
  { rule: "the mint is USDC's", edits: [[solana, "mint === usdc && ", ""]] },
  {
    rule: "the account is the receiver's",
    edits: [[solana, "gained.get(receiver) ?? 0n;", "[...gained.values()].find((one) => one > 0n) ?? 0n;"]],
  },
  {
    rule: "a failed transaction pays nothing",
    edits: [[solana, 'found.meta.err === null ? "success" : "reverted"', '"success"']],
  },
  {
    rule: "finalized, not confirmed",
    edits: [[solana, "final: finalized !== null && ", "final: "]],
  },
  {
    rule: "the node is of the right network",
    edits: [[solana, "if (actual !== genesis) throw", 'if (actual === "") throw']],
  },
  {
    rule: "what was there before does not count",
    edits: [[solana, "count(meta.preTokenBalances, -1n);", ""]],
  },
  {
    rule: "node down: 503",
    edits: [[proofs, "throw error instanceof ChainDown ? chainDown(error) : error;", "throw error;"]],
  },
  {
    rule: "node down: 503 also for who asks what to pay",
    edits: [[quotes, "    throw error instanceof ChainDown ? chainDown(error) : error;", "    throw error;"]],
  },
];

const unnamed: readonly Omit<Mutant, "test">[] = [
  {
    rule: "found once",
    edits: [
      [
        arrivals,
        "return seen.transfers.filter(({ index }) => !booked.some(({ tx_index }) => tx_index === index));",
        "return seen.transfers.filter(() => booked.length < 99);",
      ],
    ],
  },
  {
    rule: "an amount that is a quote's pays it",
    edits: [
      [
        arrivals,
        'await (verdict.is === "paid" ? applyDeposit : suspend)',
        'await (verdict.is === "short" ? applyDeposit : suspend)',
      ],
    ],
  },
  {
    rule: "what nobody asked for is in suspense",
    edits: [
      [
        scanning,
        "await keepUnmatched(deps, tx, arrival, transfer, prices.get(transfer.index)!);",
        "void [keepUnmatched, transfer];",
      ],
    ],
  },
  {
    rule: "who sent it has time to name it",
    edits: [[scanning, "const runAt = Math.max(seen.at, 0) + quoteMs + reserveMs;", "const runAt = Math.max(seen.at, 0);"]],
  },
  { rule: "dust is let be", edits: [[arrivals, "  if (cents < 1) return;\n", ""]] },
  {
    rule: "what failed is not found",
    edits: [
      [scanning, 'if (seen.status === "reverted") return;', ""],
      ["server/billing/crypto/chains/sandbox.ts", 'row.status === "success" && ', ""],
    ],
  },
  {
    rule: "found deposits are in suspense under nobody's name",
    edits: [[arrivals, "owner_id: null,", 'owner_id: "nobody",']],
  },
  {
    rule: "a chain is scanned on and on",
    edits: [
      [
        scanning,
        "    await job.reschedule(tx, now + (scanned.behind ? 1000 : wait));\n",
        "    await job.done(tx);\n    void wait;\n",
      ],
    ],
  },
];

/** Whose deposit it is that matches no quote. */
const theft: readonly Omit<Mutant, "test">[] = [
  { rule: "at most 1 % more without a proof", edits: [[rules, "atomic / 100n", "atomic / 50n"]] },
  { rule: "at most a dollar more without a proof", edits: [[rules, "(100n * unit(currency))", "(200n * unit(currency))"]] },
  { rule: "quotes that expired recently are rivals", edits: [[rules, "from: at - recentMs", "from: at"]] },
  {
    rule: "the locked rate ends with the quoted amount",
    edits: [[rules, "const within = amount < quote.atomic ? amount : quote.atomic;", "const within = amount;"]],
  },
];

const proven: readonly Omit<Mutant, "test">[] = [
  { rule: "a proof is of the caller's own payment", edits: [[proving, "!quote || quote.owner_id !== ownerId", "!quote"]] },
  {
    rule: "a proof counts for what that address sent",
    edits: [
      ["server/billing/crypto/proving/handlers.ts", "if (sender === undefined)", "if (signature.length === 0)"],
      ["server/billing/crypto/proving/handlers.ts", "{ sender, signature }", "{ sender: addresses[0]!, signature }"],
    ],
  },
  {
    rule: "a proof of an older transfer that is not recorded does not count",
    edits: [[proving, "if (isOlder(withTerms(quote), seen.at))", "if (seen.at < 0)"]],
  },
  { rule: "waiting with a proof earns nothing", edits: [[releasing, "Math.min(kept.rate ?? rate, rate)", "rate"]] },
  {
    rule: "a late deposit has no locked rate",
    edits: [[releasing, "isOf(quote, kept) && covers(withTerms(quote), at)", "isOf(quote, kept)"]],
  },
  {
    rule: "another account's amount is the operator's to decide",
    edits: [[proving, '(note === "late" || note === "again") && owner_id !== ownerId', "note === null && owner_id !== ownerId"]],
  },
  {
    rule: "a declaration is not enough for an address of others",
    edits: [[releasing, "if (await crypto.isAddressOfOthers(tx, transfer.from, quote.ownerId)) return false;", ""]],
  },
  {
    rule: "a declaration is not enough beside rivals",
    edits: [[releasing, "return !(await crypto.hasRivals(", "return true || !(await crypto.hasRivals("]],
  },
  { rule: "a declaration counts for twice the quote", edits: [[rules, "amount <= 2n * quote.atomic", "amount > 0n"]] },
  { rule: "a declaration counts for its address", edits: [[rules, "quote.payer === from &&", ""]] },
];

const signed: readonly Omit<Mutant, "test">[] = [
  { rule: "a signature has one form", edits: [[eip191, "if (parsed.hasHighS()) return undefined;", ""]] },
  { rule: "a checksum is checked", edits: [[eip191, ">= 8 ? digit.toUpperCase()", ">= 8 ? digit"]] },
];

const nodes = ["does not credit", "once", "node of another", "the node refuses"];
const only = (titles: readonly string[]) => `sqlite.*(${titles.join("|")})`;
const evmTitles = only([...nodes, "two transfers", "confirmations:", "reorganization:", "forged block:"]);
const solanaTitles = only([...nodes, "finality:", "dropped transaction:"]);

const inFile = (test: string, only?: string) => (row: Omit<Mutant, "test">) => ({
  ...row,
  rule: `crypto: ${row.rule}`,
  test,
  ...(only !== undefined && { only }),
});

export const cryptoRules: readonly Mutant[] = [
  ...topUp.map(inFile("api/crypto")),
  ...window.map(inFile("unit/crypto")),
  ...onEvm.map(inFile("api/crypto-evm", evmTitles)),
  ...onSolana.map(inFile("api/crypto-solana", solanaTitles)),
  ...unnamed.map(inFile("api/crypto-unnamed")),
  ...theft.map(inFile("api/crypto-theft")),
  ...proven.map(inFile("api/crypto-proofs")),
  ...signed.map(inFile("unit/crypto-signatures")),
];
