// The bindings of wrangler.toml and the secrets beside them.
declare namespace Cloudflare {
  interface Env {
    ASSETS: Fetcher;
    DB: D1Database;
    /** Conversations, in a database of their own. */
    DB_SUPPORT: D1Database;
    /** How long a request waits for its databases, in ms. Unset: DATABASE_WAIT_MS. */
    DATABASE_WAIT_MS?: string;
    UPLOADS: R2Bucket;
    /** Nightly backups, encrypted with BACKUP_KEYS. See docs/backup.md. */
    BACKUPS: R2Bucket;
    BACKUP_RUNNER: DurableObjectNamespace<import("./dispatchers/backup-runner.ts").BackupRunner>;
    /** Absent where a test builds its own environment. */
    VERSION?: WorkerVersionMetadata;
    SUPPORT_ROOM: DurableObjectNamespace<import("#workers/support/support-room.ts").SupportRoom>;
    SUPPORT_DESK: DurableObjectNamespace<import("#workers/support/support-desk.ts").SupportDesk>;
    /** Approximate and per location; the exact counters are in D1. */
    AUTH_RATE_LIMIT: RateLimit;
    /** Sends email when EMAIL_API_URL is not set. */
    EMAIL: SendEmail;
    /** The sender address of every email. */
    EMAIL_FROM: string;
    /** Where emails are posted instead, in the shape of Resend's POST /emails, with EMAIL_API_KEY as bearer token. */
    EMAIL_API_URL?: string;
    EMAIL_API_KEY?: string;
    /** Key pairs of web push, "PUBLIC:PRIVATE,…", newest first. Unset: browsers get no notifications. See docs/native.md. */
    VAPID_KEYS?: string;
    /** JSON of a Google service account that may send by Firebase. Unset: the apps get no notifications. See docs/native.md. */
    FCM_SERVICE_ACCOUNT?: string;
    /** Replaces https://fcm.googleapis.com. */
    FCM_API_URL?: string;
    /** Days after which a closed conversation is deleted, from 180. Unset or empty: conversations are kept. */
    CONVERSATIONS_KEPT_DAYS?: string;
    /** Domain of the addresses at which answers to emails reach the chat. Unset: they can't. See docs/email.md. */
    REPLY_DOMAIN?: string;
    /** Who gets alerts: addresses, comma-separated. Unset: nobody by email. See docs/monitoring.md. */
    ALERT_EMAIL?: string;
    /** An https URL that alerts are posted to, signed with ALERT_WEBHOOK_SECRET, "whsec_…". Unset: nowhere. */
    ALERT_WEBHOOK_URL?: string;
    ALERT_WEBHOOK_SECRET?: string;
    /** A number: how large either database may become, in GB. Unset: 10, the limit of D1's paid plan. */
    DATABASE_LIMIT_GB?: string;
    /** Verifies the email API's events, "whsec_…". Unset: bounces and complaints are not reported. See docs/email.md. */
    EMAIL_WEBHOOK_SECRET?: string;
    PROVIDER_DISPATCHER: DurableObjectNamespace<import("./dispatchers/provider-dispatcher.ts").ProviderDispatcher>;
    EMAIL_DISPATCHER: DurableObjectNamespace<import("./dispatchers/email-dispatcher.ts").EmailDispatcher>;
    PUSH_DISPATCHER: DurableObjectNamespace<import("./dispatchers/push-dispatcher.ts").PushDispatcher>;
    WEBHOOK_DISPATCHER: DurableObjectNamespace<import("./dispatchers/webhook-dispatcher.ts").WebhookDispatcher>;
    GMAIL_DISPATCHER: DurableObjectNamespace<import("./dispatchers/gmail-dispatcher.ts").GmailDispatcher>;
    API_GATE: DurableObjectNamespace<import("./api-gate-object.ts").ApiGate>;
    /** A number; the limit per API key. */
    API_REQUESTS_PER_MINUTE: string;
    /** "production", or "local" for a copy started by `npm start`. */
    ENVIRONMENT: string;
    /** Origin of the site, such as "https://growline.example". Links in emails start with it. See publicOrigin. */
    PUBLIC_ORIGIN: string;
    /** "spec": the spec's texts. "uniform": one text for every refused sign-in. Empty, in a local copy: "spec". */
    LOGIN_ERRORS: string;
    /** "off": agents and admins need no second factor to log in, as in a local copy. Any other value requires one. */
    STAFF_SECOND_FACTOR?: string;
    /** Have I Been Pwned's API of leaked passwords, without a slash at its end, or a stand-in. Empty: not asked. */
    PWNED_PASSWORDS_URL: string;
    /** The share of requests that is logged, between 0 and 1. Failed and slow ones always are. Unset: 0.1. */
    REQUEST_LOG_SHARE?: string;
    /** "off" adds no requests to request_hours, for tests that count statements. */
    REQUEST_COUNTS?: string;
    /** Counters for outside tools. Unset: none are written. See docs/monitoring.md. */
    METRICS?: AnalyticsEngineDataset;
    /** "on" shows the pages below /debug in production too. */
    DEBUG_PAGES?: string;
    /** Package name of the Android app, and the SHA-256 fingerprints of its signing certificates, comma-separated. */
    ANDROID_APP_ID?: string;
    ANDROID_CERT_SHA256?: string;
    /** "TEAMID.bundle.id" of the iOS app, comma-separated. */
    IOS_APP_ID?: string;
    /** Signs cookies. Comma-separated, newest first: the first signs, all verify. */
    SESSION_SECRET: string;
    /** Encrypts stored tokens and keys: "2:base64,1:base64", newest first, 32 bytes each. */
    ENCRYPTION_KEYS: string;
    /** Encrypts backups, in the same form. Unset: there are no backups. */
    BACKUP_KEYS?: string;
    /** URLs of Google's sign-in and Gmail's API, or of stand-ins. */
    GOOGLE_ISSUER: string;
    GOOGLE_API_BASE: string;
    /** Empty: Gmail sync is not set up, and its page says so. */
    GOOGLE_CLIENT_ID: string;
    GOOGLE_CLIENT_SECRET?: string;
    /** Both set: customers can top up by card. See docs/payments.md. */
    STRIPE_SECRET_KEY?: string;
    STRIPE_WEBHOOK_SECRET?: string;
    /** Replaces https://api.stripe.com. */
    STRIPE_API_URL?: string;
    /** URL where `npm run dev` announces rebuilt pages. Unset elsewhere. */
    RELOAD_URL?: string;
  }
}
interface Env extends Cloudflare.Env {}
