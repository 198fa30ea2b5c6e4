/** How a deployed function opens its client of the store: one of two clients (ADR 0061). */
import type { Config, ConfigName } from '../../config/config.ts'
import type { StoreRequests } from './store-requests.ts'

export type FunctionClient<C extends ConfigName> = {
  /** Parts of the configuration that the client reads, beside those of every function. */
  readonly needs: readonly C[]
  open(config: Readonly<Pick<Config, C>>): StoreRequests
}
