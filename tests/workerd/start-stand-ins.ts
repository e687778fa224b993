import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startFaultLayer } from "#tests/stand-ins/google-faults.ts";
import { startPushService } from "#tests/stand-ins/push-service.ts";
import { startWebhookReceiver } from "#tests/stand-ins/webhook-receiver.ts";
import { startBreachedPasswords } from "#tools/stand-ins/breached-passwords.ts";
import { startEmailInbox } from "#tools/stand-ins/email-inbox.ts";
import { startSandboxProvider } from "#tools/stand-ins/sandbox-provider.ts";
import { startStripeStandIn } from "#tools/stand-ins/stripe-stand-in.ts";

declare module "vitest" {
  interface ProvidedContext {
    sandbox: { url: string; key: string };
    webhooks: { url: string };
    google: { url: string; clientId: string; clientSecret: string };
    stripe: { url: string };
    emailApi: { url: string; key: string };
    breachedPasswords: { url: string };
    pushService: { url: string; serviceAccount: string };
  }
}

const CATALOG = [
  {
    service: 11,
    name: "Instagram likes",
    category: "Likes",
    type: "Default",
    rate: "0.90",
    min: "50",
    max: "10000",
    dripfeed: true,
    refill: true,
    cancel: false,
  },
  {
    service: "12",
    name: "TikTok views",
    category: "TikTok Views",
    type: "Default",
    rate: "0.02",
    min: 100,
    max: 1_000_000,
  },
  { service: 13, name: "Priced by hand", category: "Other", type: "Default", rate: "on request", min: "1", max: "1" },
];

/** Starts the servers that the worker calls: sandbox provider, webhook receiver, Google, Stripe, email API, leaked passwords, push services. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const key = "sandbox-key-for-tests";
  const folder = mkdtempSync(join(tmpdir(), "growline-sandbox-"));
  const provider = await startSandboxProvider({ key, file: join(folder, "orders.jsonl"), services: CATALOG });
  const receiver = await startWebhookReceiver();
  project.provide("sandbox", { url: provider.url, key });
  const client = { id: "client-for-tests", secret: "secret-for-tests" };
  const redirectUris = ["https://growline.example/gmail-sync/callback"];
  const google = await startFaultLayer({ ...client, redirectUris });
  project.provide("google", { url: google.url, clientId: client.id, clientSecret: client.secret });
  // The key of vitest.config.ts. The tests deliver the events themselves.
  const stripe = await startStripeStandIn({
    secretKey: "sk_test_workerd",
    webhookSecret: "",
    webhookUrl: receiver.url,
  });
  project.provide("stripe", { url: stripe.url });
  const emailInbox = await startEmailInbox({ key, file: join(folder, "emails.jsonl") });
  project.provide("emailApi", { url: emailInbox.url, key });
  const breachedPasswords = await startBreachedPasswords();
  project.provide("breachedPasswords", { url: breachedPasswords.url });
  const pushService = await startPushService();
  project.provide("pushService", { url: pushService.url, serviceAccount: pushService.serviceAccount });
  project.provide("webhooks", { url: receiver.url });
  return async () => {
    await Promise.all([
      provider.close(),
      receiver.close(),
      google.close(),
      stripe.close(),
      emailInbox.close(),
      breachedPasswords.close(),
      pushService.close(),
    ]);
    rmSync(folder, { recursive: true });
  };
}
