/** `standard` is the signed event; the others are messages as the incoming webhooks of these services take them. */
export const webhookFormats = ["standard", "slack", "discord", "teams"] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** Whether the receiver is a program, which checks the signature. A server without formats sends only signed events. */
export const isSigned = (format: WebhookFormat | undefined) => format === undefined || format === "standard";
