/** The receiver of a stage's alarms. */
import type { Stage } from './stage.ts'

/** The value of `alarmEmail` of a stage whose alarms somebody watches in another way. */
export const NO_ALARM_MAIL = 'none'

/** Returns the address that gets a mail for each alarm; undefined if none does. */
export function getAlarmAddress({ alarmEmail }: Pick<Stage, 'alarmEmail'>): string | undefined {
  return alarmEmail === NO_ALARM_MAIL ? undefined : alarmEmail
}
