import { expect, test } from "vitest";
import { WEBHOOK_EVENTS } from "#app/db/schema.server.ts";
import { checkSendingSample, checkServedSample, isInstalled } from "#tests/clients/webhook-client.ts";
import { bodySchema, exampleOfEvent } from "./webhook-events.server.ts";

test("verifies deliveries as we sign them, and refuses any other: javascript", () => checkServedSample("javascript"));

test.skipIf(!isInstalled("curl") || !isInstalled("openssl"))(
  "sends a signed event with the curl sample",
  checkSendingSample,
);

test("documents each event with an example of its own schema", () => {
  for (const event of WEBHOOK_EVENTS)
    expect(bodySchema(event).strict().safeParse(exampleOfEvent(event)).error).toBeUndefined();
});
