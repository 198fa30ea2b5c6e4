/** The configuration of a deployed function, in parts that adapters/config/env.ts reads. */

import type { EventTargetText } from '../../core/settings/event-target.ts'
import type { Settings } from '../../core/settings.ts'
import type { EndpointKinds } from '../aws/partition.ts'

export type SigningConfig = {
  readonly region: string
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken: string | undefined
  }
}

/** How a stream finds its replies. `dynamodb-streams` serves two readers: docs/design/streams.md#tails. */
export type ReplyTailConfig =
  | { readonly kind: 'partition' }
  | { readonly kind: 'dynamodb-streams'; readonly streamArn: string }

/** Where the sweep sends events, and what it needs for the kinds of these targets. */
export type EventTargetsConfig = {
  readonly targets: readonly EventTargetText[]
  /** The secret that signs events to webhooks; undefined without a webhook. */
  readonly secretId: string | undefined
  /** The sender of mails; undefined without an address. */
  readonly from: string | undefined
  /** Undefined if neither a bus nor mail needs signed requests. */
  readonly signing: SigningConfig | undefined
  readonly mailEndpoint: Config['mailEndpoint']
}

/** Which client of DynamoDB is used; `endpoint`: the origin of DynamoDB. */
export type StoreClientConfig =
  | { readonly kind: 'light'; readonly endpoint: URL }
  | { readonly kind: 'sdk' }

/** `endpoint`: the origin of Lambda's API. */
export type CallerConfig = SigningConfig & { readonly functionArn: string; readonly endpoint: URL }
/** Where and by whose credentials functions that skills name are invoked. */
export type LambdaConfig = SigningConfig & {
  /** Replaces the hosts of all regions, such as that of an emulator. */
  readonly endpoint: URL | undefined
  readonly kinds: EndpointKinds
}

/** Where the canary calls, and the secret that has its key. */
export type SyntheticCallConfig = { readonly mcpUrl: string; readonly secretId: string }

/** All parts. A door names the parts that it needs and gets no others. */
export type Config = {
  readonly settings: Settings
  readonly tables: { readonly gateway: string; readonly sessions: string }
  readonly replyTail: ReplyTailConfig
  readonly ledgerHot: { readonly ms: number }
  /** The bucket of the archive, which has kept results, too. */
  readonly archive: SigningConfig & {
    readonly bucket: string
    readonly endpoint: string | undefined
  }
  readonly messagesUrl: URL
  readonly executeUrl: URL
  readonly signing: SigningConfig
  readonly lambda: LambdaConfig
  readonly storeClient: StoreClientConfig
  /** `keyId`: the ARN of a KMS key. */
  readonly secretsKey: { readonly keyId: string }
  readonly credentials: SigningConfig['credentials']
  /** Names of the roles of functions that call the execute door. */
  readonly callerRoles: { readonly admin: string | undefined; readonly sweep: string | undefined }
  readonly adminSecretIds: { readonly internalApiSecret: string; readonly adminKey: string }
  readonly telemetry: { readonly stage: string; readonly callLogSampling: number }
  /** Undefined in a stage without an edge. */
  readonly edge: EdgeConfig | undefined
  readonly eventTargets: EventTargetsConfig
  /** Another place for SES. */
  readonly mailEndpoint: URL | undefined
  /** Undefined if the stage makes no synthetic calls. */
  readonly syntheticCall: SyntheticCallConfig | undefined
  /** The function that reaches private hosts; undefined if the stage has none. */
  readonly caller: CallerConfig | undefined
  /** `runtimeApi`: host and port from which Lambda's own client gets events. */
  readonly privateNetwork: {
    readonly hosts: readonly string[]
    readonly runtimeApi: string | undefined
  }
}

/** Where the values are that prove that a request came through the edge. */
export type EdgeConfig = SigningConfig & {
  readonly secretId: string
  /** Requests without a value are served, too. */
  readonly servesDirect: boolean
  /** The origin of Secrets Manager. */
  readonly endpoint: URL
}

export type ConfigName = keyof Config
