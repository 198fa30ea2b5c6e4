/** What the pages of users know of the API `me`: the answers that more than one of them reads. */
import { ask } from '../../api/client.ts'
import { type Person, person } from '../../shell/session.ts'

export type Budget = { readonly limit: number; readonly spent: number; readonly renewsOn: string }

/** What a credit costs: decimal text, and the code of the currency. */
export type CreditPrice = { readonly amount: string; readonly currency: string }

export type Me = {
  readonly uid: string
  readonly username: string
  readonly credits: number
  readonly creditsOnHold: number
  readonly monthlyBudget?: Budget
  readonly creditPrice?: CreditPrice
  /** The key under which calls are counted, and its own limits. */
  readonly keyId: string
  readonly keyBudget?: Budget
  readonly keyCallsPerDay?: { readonly limit: number; readonly made: number }
  /** True if this credential may change keys, secrets and logins. */
  readonly mayManage: boolean
  /** `mcp` is absent where the gateway does not know its own address. */
  readonly urls: { readonly mcp?: string }
}

/** What the API said of a person last. */
const known = new WeakMap<Person, Me>()

export async function askMe(signal?: AbortSignal): Promise<Me> {
  const who = person.peek()
  const me = await ask<Me>('me', signal === undefined ? {} : { signal })
  known.set(who, me)
  return me
}

/** For what stays as it is during a session: the key, and whether it may manage. */
export async function askOnce(signal?: AbortSignal): Promise<Me> {
  return known.get(person.peek()) ?? askMe(signal)
}

export type OwnTool = {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: unknown
  readonly price: number
  readonly skillId?: string
  readonly secrets: readonly {
    readonly name: string
    /** Where the tool sends it. */
    readonly origins: readonly string[]
    readonly isSet: boolean
    /** The gateway has a value for users who set none. */
    readonly isShared?: true
    /** Set, but not for where the tool sends now. */
    readonly mustConfirm?: true
    /** A login at the upstream, which begins with the first call. */
    readonly isLogin?: true
  }[]
}

/** Most tools of one page of the API. */
export const TOOLS_PAGE = 50

export const FREE_FAILURE = 'A call that fails costs nothing: its price is given back.'
/** Says how a call ended; the page of the call says it in a sentence. */
export function describeOutcome(outcome: string, reason = 'refunded'): string {
  if (outcome === 'settled') return 'done'
  if (outcome === 'held') return 'running'
  return `failed, free: ${reason.replaceAll('_', ' ')}`
}
