/** Port for the alarms that watch the stage. */

export type Alarm = {
  readonly name: string
  /** `unknown`: there is not enough data to tell. */
  readonly state: 'off' | 'on' | 'unknown'
  /** When the state began; undefined if the service does not say. */
  readonly sinceMs?: number
  /** Why it has this state, in the words of the service that watches. */
  readonly reason: string
}

export type FoundAlarms =
  | { readonly kind: 'found'; readonly alarms: readonly Alarm[] }
  /** Nothing watches this gateway, as in the twin. */
  | { readonly kind: 'none_here' }
  /** The role of the gateway may not read alarms. */
  | { readonly kind: 'no_right' }
  /** `name`: the service's name of the error. */
  | { readonly kind: 'failed'; readonly name: string }

export type Alarms = {
  /** The alarms of this stage, by name. Never rejects. */
  read(): Promise<FoundAlarms>
}
