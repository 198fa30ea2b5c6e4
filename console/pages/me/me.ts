/** What the pages of users know of the API `me`: the answers that more than one of them reads. */
import { ask } from '../../api/client.ts'

export type Budget = { readonly limit: number; readonly spent: number; readonly renewsOn: string }

export type Me = {
  readonly uid: string
  readonly username: string
  readonly credits: number
  readonly creditsOnHold: number
  readonly monthlyBudget?: Budget
  readonly creditPrice?: { readonly amount: string; readonly currency: string }
  /** The key that signed in; absent for a login. */
  readonly keyId?: string
  /** True if this credential may change keys, secrets and logins. */
  readonly mayManage: boolean
  readonly urls: { readonly mcp: string }
}

export function askMe(signal?: AbortSignal): Promise<Me> {
  return ask<Me>('me', signal === undefined ? {} : { signal })
}

export type OwnTool = {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: unknown
  readonly price: number
  readonly source: string
  readonly refund?: string
  readonly secrets: readonly {
    readonly name: string
    /** Where the secret will be sent. */
    readonly origins: readonly string[]
    readonly isSet: boolean
  }[]
}

export const FREE_FAILURE = 'A call that fails costs nothing: its price is given back.'
export const MAY_NOT_MANAGE =
  'Your way in may look, and may not change this. Sign in with a key that may manage, or ask an administrator.'

/** Why a call cost nothing, in the words of the person who made it. */
const REASONS: { readonly [reason: string]: string } = {
  upstream_failed: 'The service behind the tool failed.',
  timed_out: 'It took too long and was stopped.',
  cancelled: 'Your client cancelled it.',
  void: 'Its answer did not reach your client.',
  crashed: 'The gateway stopped during the call.',
  internal: 'The gateway failed.',
  invalid_skill: 'The tool is not set up correctly.',
  invalid_arguments: 'Its arguments did not fit.',
  secret_missing: 'It needs a secret that you have not set.',
  secret_refused: 'A secret may not be sent to that host.',
  secret_unreadable: 'A secret could not be read; set it again.',
  input_required: 'The tool asked a question first.',
  client_capability_missing: 'Your client cannot answer what the tool asks.',
  repeat: 'An equal call was charged shortly before.',
}

/** Says how a call ended. `outcome` is held, settled or refunded. */
export function explainOutcome(outcome: string, reason: string | undefined): string {
  if (outcome === 'settled') return 'Done'
  if (outcome === 'held') return 'Running; its price is on hold.'
  return REASONS[reason ?? ''] ?? 'It failed.'
}
