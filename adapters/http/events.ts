/**
 * Types of a door's inputs and outputs: the function URL's event (payload 2.0), the REST API's
 * event (payload 1.0), the invocation and the response stream. read-event.ts makes them from the
 * values that the platform or the local twin passes.
 */

/** Lower-case names. The values of a header that was sent twice are joined by commas. */
export type RequestHeaders = { readonly [name: string]: string }

/** The caller whose signature the platform has checked; only for a URL with AWS_IAM. */
export type IamCaller = { readonly accountId: string; readonly userArn: string }

export type FunctionUrlEvent = {
  readonly version: '2.0'
  /** As it was sent, with its percent-encoding. */
  readonly rawPath: string
  /** Without `?`; '' if there is none. */
  readonly rawQueryString: string
  readonly headers: RequestHeaders
  readonly requestContext: {
    readonly http: { readonly method: string; readonly path: string; readonly sourceIp: string }
    readonly authorizer?: { readonly iam?: IamCaller }
    readonly requestId: string
    readonly domainName: string
  }
  readonly body?: string
  readonly isBase64Encoded: boolean
}

export type RestApiEvent = {
  readonly httpMethod: string
  /** Without the stage. */
  readonly path: string
  readonly headers: RequestHeaders
  /** Decoded, in the order sent. */
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly requestId: string
  /** The client's address as the platform saw it; '' if unknown. */
  readonly sourceIp: string
  /** The domain of the API that the request reached, as the platform says; '' if unknown. */
  readonly domainName: string
  readonly body?: string
  readonly isBase64Encoded: boolean
}

export type InvocationContext = {
  readonly awsRequestId: string
  /** Time until the host ends the invocation; Infinity on a host without a limit. */
  getRemainingTimeInMillis(): number
}

/** Status and headers of an answer. Lower-case names. */
export type ResponseHead = {
  readonly statusCode: number
  readonly headers: { readonly [name: string]: string }
}

/** The members that Lambda's response stream and the streams of this gateway's hosts share. */
export type ResponseStream = {
  /** Only on streams of this gateway's hosts; on Lambda, the global `awslambda` sets the head. */
  setHead?(head: ResponseHead): void
  /** True after `setHead`; undefined on a stream that does not keep this. */
  readonly hasHead?: boolean
  /** False if the caller should wait for `drain`. */
  write(chunk: string | Uint8Array): boolean
  /** It takes no last chunk: the runtime client sends the status only with a `write`. */
  end(): unknown
  on(event: StreamEvent, listener: (cause?: unknown) => void): unknown
  once(event: StreamEvent, listener: (cause?: unknown) => void): unknown
  off(event: StreamEvent, listener: (cause?: unknown) => void): unknown
  readonly destroyed: boolean
  /** True if a server that stops closed it before the answer was complete. Absent on Lambda. */
  readonly isCut?: boolean
  readonly writableEnded: boolean
  readonly writableFinished: boolean
}

export type StreamEvent = 'drain' | 'finish' | 'close' | 'error'

export type StreamingHandler = (
  event: FunctionUrlEvent,
  out: ResponseStream,
  context: InvocationContext,
) => Promise<void>
