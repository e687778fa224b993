import type { AdjustmentRefusal } from "#app/orders/staff/customers/customer-admin.server.ts";
import type { PaymentRefusal } from "#app/orders/staff/customers/payment-admin.server.ts";
import type { OrderActionRefusal } from "#app/orders/staff/orders/order-admin.server.ts";
import type { ProviderRefusal } from "#app/orders/staff/services/provider-admin.server.ts";
import type { ServiceRefusal } from "#app/orders/staff/services/service-admin.server.ts";

/** What staff reads when an act was refused. Nothing was changed then. */

export const ORDER_ACTION_TEXTS: Record<OrderActionRefusal, string> = {
  not_found: "There is no such order.",
  changed: "The order changed meanwhile, so nothing was done. Look at it again below.",
  final: "The order is in a final state, which nothing leaves.",
  sending: "The order is being sent this moment. In a minute it is accepted, refused or held.",
  held: "The order is held. Say first whether its provider took it, or give it a final status.",
  not_held: "The order is not held any more.",
  bad_remains: "The remains do not fit: not more than was ordered, and for Partial more than none.",
  provider_id_taken: "Another order follows this id already.",
  no_provider: "The order has no provider.",
  refund_given: "Something went back for this order already. Credit the customer instead.",
  bad_amount: "The amount does not fit: more than 0, and not more than the charge.",
};

export const ADJUSTMENT_TEXTS: Record<AdjustmentRefusal, string> = {
  not_found: "There is no such customer.",
  bad_amount: "Give an amount above 0.",
  insufficient_funds: "The balance does not cover this debit.",
  repeated: "This form was sent before and has done its work.",
};

export const PAYMENT_TEXTS: Record<PaymentRefusal, string> = {
  not_found: "There is no such payment.",
  bad_amount: "The amount does not fit: more than 0, and not more than the most that can be topped up at once.",
  changed: "The payment is decided already, so nothing was done. Look at it again below.",
  repeated: "This form was sent before and has done its work.",
};

export const SERVICE_TEXTS: Record<ServiceRefusal, string> = {
  not_found: "There is no such service.",
  provider_service_taken: "Another service forwards to this service of the provider.",
  unknown_provider: "There is no such provider.",
  repeated: "This form was sent before: the service is in the list.",
};

export const PROVIDER_TEXTS: Record<ProviderRefusal, string> = {
  not_found: "There is no such provider.",
  name_taken: "Another provider has this name.",
  bad_address: "The address must be public and begin with https://.",
  key_needed: "Give the key too: it is needed for a new provider and for a new address.",
  repeated: "This form was sent before: the provider is in the list.",
};
