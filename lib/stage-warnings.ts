/**
 * Warnings about a stage for real users that may be deployed but leaves something open. Every synth
 * and deploy shows them, and so does `npm run preflight`. A stage like `dev` gets no warnings,
 * and so does one on an emulator.
 */
import { isFunctionUrl } from '../core/settings/function-url.ts'
import { convertSettings } from '../core/settings.ts'
import { NO_ALARM_MAIL } from './alarm-address.ts'
import { isEmulated, type Stage } from './stage.ts'

/** A warning; `id` is a name that `cdk acknowledge` accepts. */
export type StageWarning = { readonly id: string; readonly text: string }

/** Tells a stage for real users from one for trials. */
export function isForUsers(stage: Stage): boolean {
  return stage.like === 'prod' && !isEmulated(stage)
}

export function listStageWarnings(stage: Stage): readonly StageWarning[] {
  if (!isForUsers(stage)) return []
  const { issuers, reservedConcurrency, alarmEmail, login, monthlyBudgetUsd, publicOrigin } = stage
  const invitesOnly = login && publicOrigin !== undefined && isFunctionUrl(publicOrigin)
  return [
    ...(reservedConcurrency === undefined ? [NO_RESERVATION] : []),
    ...(alarmEmail === undefined ? [NO_MAIL] : []),
    // A stage without an address has nobody whom a budget could mail.
    ...(monthlyBudgetUsd === undefined && alarmEmail !== NO_ALARM_MAIL ? [NO_BUDGET] : []),
    ...(issuers.some(({ audiences = [] }) => audiences.length === 0) ? [NO_AUDIENCE] : []),
    ...(invitesOnly ? [INVITES_ONLY] : []),
  ]
}

/**
 * Returns a note of how many streams the stage serves. Each deploy shows it; further clients get
 * 429.
 */
export function formatStreamsNote(stage: Stage): string {
  const { anonymousMax, perKeyMax, totalMax } = convertSettings(stage).streams
  return `streams: ${totalMax} at once, ${anonymousMax} of them anonymous, ${perKeyMax} of one key. For more, raise sseConcurrency (${stage.sseConcurrency}) in skillgate.config.json up to the quota of the account, which npm run preflight shows.`
}

const NO_RESERVATION: StageWarning = {
  id: 'skillgate:no-reserved-concurrency',
  text: 'reservedConcurrency: is not set, so one busy function can take all executions of the account, and nothing bounds the bill; set it in skillgate.config.json.',
}

export const NO_MAIL: StageWarning = {
  id: 'skillgate:no-alarm-mail',
  text: 'alarmEmail: is not set, so alarms reach nobody; set it in skillgate.config.json and confirm the mail that AWS sends, or set it to "none".',
}

const NO_BUDGET: StageWarning = {
  id: 'skillgate:no-budget',
  text: 'monthlyBudgetUsd: is not set, so nobody hears of a high bill before it comes; set it in skillgate.config.json.',
}

const NO_AUDIENCE: StageWarning = {
  id: 'skillgate:issuer-without-audience',
  text: 'issuers: has an issuer without audiences, so any token that its clientIds got for another service works here, too, which MCP forbids; let the issuer write an audience, and name it in skillgate.config.json.',
}

const INVITES_ONLY: StageWarning = {
  id: 'skillgate:login-by-invitation-only',
  text: 'publicOrigin: is a function URL, which nobody can recognise, so the login takes invitations and no keys; set it to a domain of your own (docs/login.md).',
}
