/** How a deployed function opens its client of the store: lambdas/start-function.ts takes one of two (ADR 0061). */
import type { Config, ConfigName } from '../../config/config.ts'
import type { StoreRequests } from './store-requests.ts'

export type FunctionClient<C extends ConfigName> = {
  /** Parts of the configuration, beside those that every function has. */
  readonly needs: readonly C[]
  open(config: Readonly<Pick<Config, C>>): StoreRequests
}
