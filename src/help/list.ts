/** Every help topic with its one-line description, in the order of the table of contents. Its text is in `<name>.md`. */
export const chapters = [
  {
    title: "For game owners",
    topics: [
      ["getting-started", "Install the command, start a sandbox server and order a first playtest"],
      ["ordering", "Order playtests, choose who plays, and what happens to each slot"],
      ["studio", "Inbox, games, videos and messages in the browser"],
      ["reviewing", "Watch submissions, accept or reject them, and download videos"],
      ["billing", "Credit, cards, crypto, subscriptions, hours and invoices"],
      ["budgets", "Limit what API keys and agents may spend"],
      ["mcp", "Let coding agents order playtests and read feedback, within limits"],
      ["bulk", "Order many playtests from a spreadsheet"],
      ["ci", "Push builds and order playtests from continuous integration"],
      ["webhooks", "Receive events at your own HTTPS endpoint and verify them"],
      ["library", "Call the API from TypeScript or JavaScript"],
      ["sandbox", "Try everything without real money, and test your integration"],
    ],
  },
  {
    title: "For playtesters",
    topics: [["playtesters", "Find a playtest, submit a video and get paid"]],
  },
  {
    title: "For server operators",
    topics: [
      ["server", "Run your own server: installation, proxy, mail, cards, crypto, administration"],
      ["configuration", "Every setting of a server, with its unit, range and default"],
      ["backup", "Back up, restore and migrate a server"],
      ["capacity", "What one server does, what fills its disks, and what comes after it"],
      ["security", "What is protected, how, and what the operator must do"],
    ],
  },
  {
    title: "Reference",
    topics: [
      ["api", "Requests, replies, errors and paging of the HTTP API"],
      ["states", "The states of slots, payments and everything else, and what follows them"],
      ["output", "Output formats: tables, JSON, CSV, templates"],
      ["ids", "How ids are written, shortened and looked up"],
      ["money", "Amounts, spending limits and safe retries"],
      ["flags", "Flags that every command accepts"],
      ["exit-codes", "What each exit code means"],
      ["environment", "Environment variables that the command and the server read"],
    ],
  },
] as const;

export type TopicName = (typeof chapters)[number]["topics"][number][0];

export const topicList: readonly { name: TopicName; summary: string }[] = chapters.flatMap(({ topics }) =>
  topics.map(([name, summary]) => ({ name, summary })),
);

export const isTopic = (name: string): name is TopicName => topicList.some((topic) => topic.name === name);
