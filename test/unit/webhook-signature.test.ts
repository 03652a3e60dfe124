import { expect, it } from "vitest";
import { newSecret, signatureHeaders } from "../../server/events/webhooks/signature.ts";

it("a webhook's secret and signatures are those that receivers compute", () => {
  const secret = newSecret(Buffer.alloc(32, 1));
  expect(secret).toBe("whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=");
  expect(signatureHeaders({ id: "evt_1", timestamp: 1_700_000_000, body: '{"a":1}', secret })).toMatchInlineSnapshot(`
    {
      "X-WPG-Signature": "2d45ab6f815ba3776177c18c7d71f6d79d59a6a4b88532ddc1a0d62a399fb1d0",
      "X-WPG-Signature-Version": "v1",
      "X-WPG-Timestamp": "1700000000",
      "webhook-id": "evt_1",
      "webhook-signature": "v1,n72r5K3VFPWoesVbOubkwv9N90DahL/UypSpH/R9Hk8=",
      "webhook-timestamp": "1700000000",
    }
  `);
});
