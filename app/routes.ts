import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

const DOCS = "routes/api.docs.tsx";
const PANEL_ACTION = "routes/api.panel-action.ts";

/** Pages that the native app shows whether or not somebody has seen the introduction and signed in. */
const OUTSIDE_THE_GATE = [
  route("onboarding", "routes/onboarding.tsx"),
  route("auth/start", "routes/auth.start.tsx"),
  route("auth/login", "routes/auth.login.tsx"),
  route("auth/signup", "routes/auth.signup.tsx"),
  route("debug/env", "routes/debug.env.tsx"),
  route("debug/mail", "routes/debug.mail.tsx"),
  route("debug/reset-onboarding", "routes/debug.reset-onboarding.tsx"),
];

/** Pages that it shows only then. A browser always shows them. */
const BEHIND_THE_GATE = [
  index("routes/home.tsx"),
  route("auth", "routes/auth.tsx"),
  route("reset-password", "routes/reset-password.tsx"),
  layout("routes/dashboard.tsx", [
    route("dashboard", "routes/dashboard.overview.tsx"),
    route("dashboard/orders", "routes/dashboard.orders.tsx"),
    route("dashboard/orders/mass", "routes/dashboard.mass.tsx"),
    route("dashboard/orders/mass/:id", "routes/dashboard.mass-result.tsx"),
    route("dashboard/orders/:id", "routes/dashboard.order.tsx"),
    route("dashboard/transactions", "routes/dashboard.transactions.tsx"),
    route("dashboard/transactions/:id", "routes/dashboard.transaction.tsx"),
    route("dashboard/api", "routes/dashboard.api.tsx"),
    route("dashboard/top-up", "routes/dashboard.top-up.tsx"),
    route("dashboard/account", "routes/dashboard.account.tsx"),
    route("upload", "routes/upload.tsx"),
  ]),
  layout("routes/framed.tsx", [
    route("account/email", "routes/account.email.tsx"),
    route("account/delete", "routes/account.delete.tsx"),
    route("gmail-sync", "routes/gmail-sync.tsx"),
  ]),
  route("privacy-policy", "routes/privacy-policy.tsx"),
  route("welcome-demo", "routes/welcome-demo.tsx"),
  route("onboarding-demo", "routes/onboarding-demo.tsx"),
  route("api/docs", DOCS),
  route("docs/api", DOCS, { id: "docs-api" }),
  layout("routes/admin.console.tsx", [
    route("admin/orders", "routes/admin.orders.tsx"),
    route("admin/orders/requests", "routes/admin.orders.requests.tsx"),
    route("admin/orders/:id", "routes/admin.orders.order.tsx"),
    route("admin/services", "routes/admin.services.tsx"),
    route("admin/services/:id", "routes/admin.services.service.tsx"),
    route("admin/providers", "routes/admin.providers.tsx"),
    route("admin/providers/:id", "routes/admin.providers.provider.tsx"),
    route("admin/customers", "routes/admin.customers.tsx"),
    route("admin/customers/:id", "routes/admin.customers.customer.tsx"),
    route("admin/payments", "routes/admin.payments.tsx"),
    route("admin/payments/:id", "routes/admin.payments.payment.tsx"),
    route("admin/codes", "routes/admin.codes.tsx"),
    route("admin/codes/:id", "routes/admin.codes.batch.tsx"),
    route("admin/audit", "routes/admin.audit.tsx"),
    route("admin/replies", "routes/admin.replies.tsx"),
    route("admin/reports", "routes/admin.reports.tsx"),
    route("admin/settings", "routes/admin.settings.tsx"),
  ]),
  route("admin", "routes/admin.tsx", [route("support/:id", "routes/admin.conversation.tsx")]),
  route("*", "routes/$.tsx"),
];

export default [
  ...OUTSIDE_THE_GATE,
  layout("routes/gated.tsx", BEHIND_THE_GATE),

  route("logout", "routes/logout.ts"),
  route("dashboard/account/export", "routes/dashboard.account.export.ts"),
  route("dashboard/orders.csv", "routes/dashboard.orders.csv.ts"),
  route("dashboard/orders/live", "routes/dashboard.orders.live.ts"),
  route("dashboard/transactions.csv", "routes/dashboard.transactions.csv.ts"),
  route("dashboard/services/:id", "routes/dashboard.service.ts"),
  route("catalogue.json", "routes/catalogue.json.ts"),
  route("upload/parts", "routes/upload.parts.ts"),
  route("upload/parts/:id", "routes/upload.part.ts"),
  route("upload/files/:id", "routes/upload.file.ts"),
  route("gmail-sync/connect", "routes/gmail-sync.connect.ts"),
  route("gmail-sync/callback", "routes/gmail-sync.callback.ts"),
  route("gmail-sync/status", "routes/gmail-sync.status.ts"),
  route("functions/gmail-oauth-auth", "routes/functions.gmail-oauth-auth.ts"),
  route("functions/gmail-sync", "routes/functions.gmail-sync.ts"),
  route("stripe/webhook", "routes/stripe.webhook.ts"),
  route("robots.txt", "routes/robots.ts"),
  route("sitemap.xml", "routes/sitemap.ts"),
  route("site.webmanifest", "routes/webmanifest.ts"),
  route(".well-known/assetlinks.json", "routes/well-known.android.ts"),
  route(".well-known/apple-app-site-association", "routes/well-known.apple.ts"),

  route("auth/v1/token", "routes/auth.v1.token.ts"),
  route("auth/v1/signup", "routes/auth.v1.signup.ts"),
  route("auth/v1/user", "routes/auth.v1.user.ts"),
  route("auth/v1/logout", "routes/auth.v1.logout.ts"),
  route("auth/v1/recover", "routes/auth.v1.recover.ts"),

  route("api/v1/create_order", "routes/api.v1.create_order.ts"),
  route("api/v2", "routes/api.v2.ts"),
  ...["order", "services", "balance", "status"].map((name) =>
    route(`api/${name}`, PANEL_ACTION, { id: `api-${name}` }),
  ),
  route("api/openapi.json", "routes/api.openapi.ts"),
  route("api/*", "routes/api.not-found.ts"),

  route("support/session", "routes/support.session.ts"),
  route("support/sessions/:id/messages", "routes/support.messages.ts"),
  route("support/team", "routes/support.team.ts"),
  route("support/sessions/:id/files", "routes/support.files.ts"),
  route("support/sessions/:id/files/:file", "routes/support.file.ts"),
  route("support/sessions/:id/rating", "routes/support.rating.ts"),
  route("support/sessions/:id/transcript", "routes/support.transcript.ts"),
  route("support/sessions/:id/read", "routes/support.read.ts"),
  route("admin/inbox", "routes/admin.inbox.ts"),
  route("admin/support/:id/act", "routes/admin.conversation.act.ts"),
] satisfies RouteConfig;
