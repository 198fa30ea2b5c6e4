/**
 * The numbers of a table's auto scaling, as plain data: lib/data-stack.ts deploys them and `npm run
 * cost` prices them.
 */

/**
 * The used share of the capacity at which auto scaling aims. Writes are expensive and paid by
 * users. Reads are also spent by strangers, whose keys are looked up, and double at each step. ADR
 * 0078 has what other shares would cost.
 */
export const TARGET_PERCENT = { write: 80, read: 50 } as const
/**
 * Alarms that DynamoDB creates for a table: above and below the target, and at a capacity that is
 * not the wanted one, for reads and for writes.
 */
export const SCALING_ALARMS = 8
