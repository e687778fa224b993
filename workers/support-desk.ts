import { DurableObject } from "cloudflare:workers";
export class SupportDesk extends DurableObject<Env> {}
