/** What the flows of a login share: their ports, their settings and refused tokens. */

import type { Ports } from '../../ports/ports.ts'
import type { LoginSettings } from '../../settings.ts'
import type { ListToolsNeeds } from '../tools/merge-tool-layers.ts'
import type { DeadTokens } from './dead-tokens.ts'

export type LoginNeeds = ListToolsNeeds &
  Pick<
    Ports,
    | 'clock'
    | 'digests'
    | 'ids'
    | 'keys'
    | 'log'
    | 'logins'
    | 'profiles'
    | 'rateCounters'
    | 'upstream'
  >

/** What finds the person of a key, on every page that takes one. */
export type PersonContext = {
  readonly ports: Pick<LoginNeeds, 'clock' | 'digests' | 'keys' | 'logins' | 'profiles'>
  readonly login: Pick<LoginSettings, 'issuer'>
}

export type LoginContext = {
  readonly ports: LoginNeeds
  readonly login: LoginSettings
  readonly deadTokens: DeadTokens
  /** URL of the admin API, beside which the console is; undefined where it is not known. */
  readonly adminUrl?: string | undefined
}
