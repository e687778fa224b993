import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";

const URL = "https://growline.example/stripe/webhook";

test("refuses an event of more than 256 KB, announced or not, without reading it whole", async () => {
  const announced = await SELF.fetch(URL, { method: "POST", body: "x".repeat(262_145) });
  expect(announced.status).toBe(413);
  let sent = 0;
  const streamed = await SELF.fetch(URL, {
    method: "POST",
    body: new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        if (sent > 90_000_000) controller.close();
        else controller.enqueue(new Uint8Array(65_536));
      },
    }),
    duplex: "half",
  } as RequestInit);
  expect(streamed.status).toBe(413);
  expect(sent).toBeLessThan(10_000_000);
});
