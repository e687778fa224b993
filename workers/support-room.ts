import { DurableObject } from "cloudflare:workers";
export class SupportRoom extends DurableObject<Env> {}
