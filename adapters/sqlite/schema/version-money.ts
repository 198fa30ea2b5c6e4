/**
 * Corrections may leave a balance below zero, so `credits` and the amounts of grants lose their checks.
 * A column takes its check along when it is dropped; so no other column of these tables is named here.
 */

const recast = (table: string, column: string) => `
ALTER TABLE ${table} ADD COLUMN recast INTEGER NOT NULL DEFAULT 0;
UPDATE ${table} SET recast = ${column};
ALTER TABLE ${table} DROP COLUMN ${column};
ALTER TABLE ${table} RENAME COLUMN recast TO ${column};
`

const REASONS = 'ALTER TABLE grants ADD COLUMN reason TEXT;'

/** JSON; NULL without budgets. */
export const VERSION_BUDGETS = `
ALTER TABLE profiles ADD COLUMN budgets TEXT;
ALTER TABLE holds ADD COLUMN counted TEXT;
ALTER TABLE outcomes ADD COLUMN counted TEXT;
`

export const VERSION_CORRECTIONS =
  recast('profiles', 'credits') + recast('grants', 'amount') + REASONS
