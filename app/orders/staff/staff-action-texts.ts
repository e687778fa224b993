import type { AdjustmentRefusal } from "#app/orders/staff/customers/customer-admin.server.ts";
import type { PaymentRefusal } from "#app/orders/staff/customers/payment-admin.server.ts";
import type { OrderActionRefusal } from "#app/orders/staff/orders/order-admin.server.ts";
import type { ProviderRefusal } from "#app/orders/staff/services/provider-admin.server.ts";
import type { ServiceRefusal } from "#app/orders/staff/services/service-admin.server.ts";

/** Errors of refused staff actions. A refused action changes nothing. */

export const ORDER_ACTION_TEXTS: Record<OrderActionRefusal, string> = {
  not_found: "Order not found.",
  changed: "The order changed in the meantime. Nothing was done. Check its current state.",
  final: "This order is in a final status and can’t be changed.",
  sending: "This order is being sent to its provider. Try again in a minute.",
  held: "This order is held. First resolve it, or set a final status.",
  not_held: "This order is no longer held.",
  bad_remains: "Remains can’t exceed the quantity. A partial order needs remains above 0.",
  provider_id_taken: "Another order already uses this provider order ID.",
  no_provider: "This order has no provider.",
  refund_given: "This order was already refunded. Credit the customer instead.",
  bad_amount: "Enter an amount above 0 and up to the charge.",
};

export const ADJUSTMENT_TEXTS: Record<AdjustmentRefusal, string> = {
  not_found: "Customer not found.",
  bad_amount: "Enter an amount above 0.",
  insufficient_funds: "The balance doesn’t cover this debit.",
  repeated: "This form was already submitted. Nothing was done again.",
};

export const PAYMENT_TEXTS: Record<PaymentRefusal, string> = {
  not_found: "Payment not found.",
  bad_amount: "Enter an amount above 0 and up to the top-up limit.",
  changed: "This payment was already decided. Nothing was done. Check its current state.",
  repeated: "This form was already submitted. Nothing was done again.",
};

export const SERVICE_TEXTS: Record<ServiceRefusal, string> = {
  not_found: "Service not found.",
  provider_service_taken: "Another service already uses this provider service.",
  unknown_provider: "Provider not found.",
  repeated: "This form was already submitted. The service is in the list.",
};

export const PROVIDER_TEXTS: Record<ProviderRefusal, string> = {
  not_found: "Provider not found.",
  name_taken: "Another provider has this name.",
  bad_address: "Enter a public URL that starts with https://.",
  key_needed: "Enter the API key. A new provider or a new URL needs it.",
  repeated: "This form was already submitted. The provider is in the list.",
};
