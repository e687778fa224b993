import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

const DOCS = "routes/api/api-docs.tsx";
const PANEL_ACTION = "routes/api/panel-action.ts";

/** Pages that the native app shows even before the introduction and sign-in. */
const OUTSIDE_THE_GATE = [
  route("onboarding", "routes/site/onboarding.tsx"),
  route("auth/start", "routes/auth/auth-start.tsx"),
  route("auth/login", "routes/auth/login.tsx"),
  route("auth/signup", "routes/auth/signup.tsx"),
  route("debug/env", "routes/debug/debug-env.tsx"),
  route("debug/mail", "routes/debug/debug-email.tsx"),
  route("debug/reset-onboarding", "routes/debug/reset-onboarding.tsx"),
];

/** Pages that the native app shows only after the introduction and sign-in. Browsers always show them. */
const BEHIND_THE_GATE = [
  index("routes/site/home.tsx"),
  route("auth", "routes/auth/auth-choice.tsx"),
  route("reset-password", "routes/account/reset-password.tsx"),
  layout("routes/dashboard/dashboard-layout.tsx", [
    route("dashboard", "routes/dashboard/overview.tsx"),
    route("dashboard/orders", "routes/dashboard/orders/order-list-page.tsx"),
    route("dashboard/orders/mass", "routes/dashboard/orders/mass-order-page.tsx"),
    route("dashboard/orders/mass/:id", "routes/dashboard/orders/mass-order-result.tsx"),
    route("dashboard/orders/:id", "routes/dashboard/orders/order-page.tsx"),
    route("dashboard/transactions", "routes/dashboard/wallet/transactions-page.tsx"),
    route("dashboard/transactions/:id", "routes/dashboard/wallet/receipt-page.tsx"),
    route("dashboard/api", "routes/dashboard/api-page.tsx"),
    route("dashboard/top-up", "routes/dashboard/wallet/top-up-page.tsx"),
    route("dashboard/account", "routes/dashboard/account-page.tsx"),
    route("upload", "routes/upload/upload-page.tsx"),
  ]),
  layout("routes/site/framed.tsx", [
    route("account/email", "routes/account/account-email.tsx"),
    route("account/not-me", "routes/account/not-me.tsx"),
    route("account/delete", "routes/account/account-delete.tsx"),
    route("gmail-sync", "routes/gmail/gmail-sync-page.tsx"),
  ]),
  route("privacy-policy", "routes/site/privacy-policy.tsx"),
  route("welcome-demo", "routes/site/welcome-demo.tsx"),
  route("onboarding-demo", "routes/site/onboarding-demo.tsx"),
  route("api/docs", DOCS),
  route("docs/api", DOCS, { id: "docs-api" }),
  layout("routes/admin/admin-layout.tsx", [
    route("admin/orders", "routes/admin/orders/admin-orders.tsx"),
    route("admin/orders/requests", "routes/admin/orders/admin-order-queue.tsx"),
    route("admin/orders/:id", "routes/admin/orders/admin-order.tsx"),
    route("admin/services", "routes/admin/services/admin-services.tsx"),
    route("admin/services/:id", "routes/admin/services/admin-service.tsx"),
    route("admin/providers", "routes/admin/services/admin-providers.tsx"),
    route("admin/providers/:id", "routes/admin/services/admin-provider.tsx"),
    route("admin/customers", "routes/admin/customers/admin-customers.tsx"),
    route("admin/customers/:id", "routes/admin/customers/admin-customer.tsx"),
    route("admin/payments", "routes/admin/customers/admin-payments.tsx"),
    route("admin/payments/:id", "routes/admin/customers/admin-payment.tsx"),
    route("admin/codes", "routes/admin/customers/admin-codes.tsx"),
    route("admin/codes/:id", "routes/admin/customers/admin-code-batch.tsx"),
    route("admin/emails", "routes/admin/admin-emails.tsx"),
    route("admin/audit", "routes/admin/admin-audit.tsx"),
    route("admin/replies", "routes/admin/support/saved-replies-page.tsx"),
    route("admin/reports", "routes/admin/support/reports-page.tsx"),
    route("admin/settings", "routes/admin/support/support-settings-page.tsx"),
  ]),
  route("admin", "routes/admin/support/support-console.tsx", [
    route("support/:id", "routes/admin/support/conversation-page.tsx"),
  ]),
  route("*", "routes/site/page-not-found.tsx"),
];

export default [
  ...OUTSIDE_THE_GATE,
  layout("routes/site/gated.tsx", BEHIND_THE_GATE),

  route("logout", "routes/auth/logout.ts"),
  route("dashboard/account/export", "routes/dashboard/account-export.ts"),
  route("dashboard/orders.csv", "routes/dashboard/orders/orders-csv.ts"),
  route("dashboard/orders/live", "routes/dashboard/orders/orders-live.ts"),
  route("dashboard/transactions.csv", "routes/dashboard/wallet/transactions-csv.ts"),
  route("dashboard/services/:id", "routes/dashboard/orders/service-json.ts"),
  route("catalog.json", "routes/api/catalog-json.ts"),
  route("upload/parts", "routes/upload/upload-parts.ts"),
  route("upload/parts/:id", "routes/upload/upload-part.ts"),
  route("upload/files/:id", "routes/upload/upload-file.ts"),
  route("gmail-sync/connect", "routes/gmail/gmail-connect.ts"),
  route("gmail-sync/callback", "routes/gmail/gmail-callback.ts"),
  route("gmail-sync/status", "routes/gmail/gmail-status.ts"),
  route("functions/gmail-oauth-auth", "routes/gmail/gmail-oauth-auth-function.ts"),
  route("functions/gmail-sync", "routes/gmail/gmail-sync-function.ts"),
  route("stripe/webhook", "routes/api/stripe-webhook.ts"),
  route("email/webhook", "routes/api/email-webhook.ts"),
  route("robots.txt", "routes/site/robots.ts"),
  route("sitemap.xml", "routes/site/sitemap.ts"),
  route("site.webmanifest", "routes/site/webmanifest.ts"),
  route(".well-known/assetlinks.json", "routes/site/well-known-android.ts"),
  route(".well-known/apple-app-site-association", "routes/site/well-known-apple.ts"),

  route("auth/v1/token", "routes/auth/v1/v1-token.ts"),
  route("auth/v1/signup", "routes/auth/v1/v1-signup.ts"),
  route("auth/v1/user", "routes/auth/v1/v1-user.ts"),
  route("auth/v1/logout", "routes/auth/v1/v1-logout.ts"),
  route("auth/v1/recover", "routes/auth/v1/v1-recover.ts"),

  route("api/v1/create_order", "routes/api/create-order-v1.ts"),
  route("api/v2", "routes/api/panel-v2.ts"),
  ...["order", "services", "balance", "status"].map((name) =>
    route(`api/${name}`, PANEL_ACTION, { id: `api-${name}` }),
  ),
  route("api/openapi.json", "routes/api/openapi-json.ts"),
  route("api/*", "routes/api/api-not-found.ts"),

  route("support/session", "routes/support/support-session.ts"),
  route("support/sessions/:id/messages", "routes/support/support-messages.ts"),
  route("support/team", "routes/support/support-team.ts"),
  route("support/sessions/:id/files", "routes/support/support-files.ts"),
  route("support/sessions/:id/files/:file", "routes/support/support-file.ts"),
  route("support/sessions/:id/rating", "routes/support/support-rating.ts"),
  route("support/sessions/:id/transcript", "routes/support/support-transcript.ts"),
  route("support/sessions/:id/read", "routes/support/support-read.ts"),
  route("admin/inbox", "routes/admin/support/inbox-page.ts"),
  route("admin/support/:id/actions", "routes/admin/support/conversation-action.ts"),
] satisfies RouteConfig;
