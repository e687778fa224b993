import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

const DOCS = "routes/api.docs.tsx";
const PANEL_ACTION = "routes/api.panel-action.ts";

export default [
  index("routes/home.tsx"),
  route("auth", "routes/auth.tsx"),
  route("auth/login", "routes/auth.login.tsx"),
  route("auth/signup", "routes/auth.signup.tsx"),
  route("auth/start", "routes/auth.start.tsx"),
  route("reset-password", "routes/reset-password.tsx"),
  route("logout", "routes/logout.ts"),
  route("dashboard", "routes/dashboard.tsx"),
  route("dashboard/account", "routes/dashboard.account.tsx"),
  route("dashboard/account/export", "routes/dashboard.account.export.ts"),
  route("account/email", "routes/account.email.tsx"),
  route("account/delete", "routes/account.delete.tsx"),
  route("privacy-policy", "routes/privacy-policy.tsx"),

  route("debug/env", "routes/debug.env.tsx"),
  route("debug/mail", "routes/debug.mail.tsx"),
  route("debug/reset-onboarding", "routes/debug.reset-onboarding.tsx"),

  route("auth/v1/token", "routes/auth.v1.token.ts"),
  route("auth/v1/signup", "routes/auth.v1.signup.ts"),
  route("auth/v1/user", "routes/auth.v1.user.ts"),
  route("auth/v1/logout", "routes/auth.v1.logout.ts"),
  route("auth/v1/recover", "routes/auth.v1.recover.ts"),

  route("dashboard/top-up", "routes/dashboard.top-up.tsx"),
  route("stripe/webhook", "routes/stripe.webhook.ts"),

  route("api/docs", DOCS),
  route("docs/api", DOCS, { id: "docs-api" }),
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
    route("admin/codes", "routes/admin.codes.tsx"),
    route("admin/codes/:id", "routes/admin.codes.batch.tsx"),
    route("admin/audit", "routes/admin.audit.tsx"),
    route("admin/replies", "routes/admin.replies.tsx"),
    route("admin/reports", "routes/admin.reports.tsx"),
    route("admin/settings", "routes/admin.settings.tsx"),
  ]),
  route("admin", "routes/admin.tsx", [route("support/:id", "routes/admin.conversation.tsx")]),

  route("*", "routes/$.tsx"),
] satisfies RouteConfig;
