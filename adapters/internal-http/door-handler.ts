/**
 * The type of a door's handler that is called inside this process. It has the shape of the streaming
 * handlers of adapters/http, so the two folders need not import each other. local/ passes one as the
 * other, and the compiler compares them there.
 */
import type { CollectingStream } from './collecting-stream.ts'

export type DoorEvent = {
  readonly version: '2.0'
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: { readonly [name: string]: string }
  readonly requestContext: {
    readonly http: { readonly method: string; readonly path: string; readonly sourceIp: string }
    readonly authorizer: { readonly iam: { readonly accountId: string; readonly userArn: string } }
    readonly requestId: string
    readonly domainName: string
  }
  readonly body: string
  readonly isBase64Encoded: boolean
}

export type DoorContext = {
  readonly awsRequestId: string
  getRemainingTimeInMillis(): number
}

export type DoorHandler = (
  event: DoorEvent,
  out: CollectingStream,
  context: DoorContext,
) => Promise<void>
