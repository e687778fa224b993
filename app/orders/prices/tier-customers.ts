/** As far as the customers of a tier are counted, so that a page reads the same however many there are. */
export const CUSTOMERS_COUNTED_TO = 1000;

/** Returns the number of a tier's customers as text, such as "1,000+". */
export function customersText(customers: number, number: (count: number) => string): string {
  return customers >= CUSTOMERS_COUNTED_TO ? `${number(CUSTOMERS_COUNTED_TO)}+` : number(customers);
}
