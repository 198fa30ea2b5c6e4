/** Whom a stage mails. Loads no CDK, because the rules of a stage use it, too. */
import type { Stage } from './stage.ts'

/** The value of `alarmEmail` for a stage that mails nobody. */
const NOBODY = 'none'

/** Returns the address that composites and the budget mail; undefined for nobody. */
export function findMailAddress({ alarmEmail }: Pick<Stage, 'alarmEmail'>): string | undefined {
  return alarmEmail === NOBODY ? undefined : alarmEmail
}
