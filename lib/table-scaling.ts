/**
 * The numbers of a table's auto scaling, as plain data: lib/table-billing.ts deploys them and `npm run cost` prices them.
 */

/**
 * Used shares of the capacity at which auto scaling aims. Writes are the dear ones and paid by users; reads are also spent by
 * strangers, whose keys are looked up, and grow twofold at each step. ADR 0078 has what other shares would cost.
 */
export const TARGET_PERCENT = { write: 80, read: 50 } as const
/** That DynamoDB makes for a table: above and below the target, and at a capacity that is not the wanted one, for reads and for writes. */
export const SCALING_ALARMS = 8
