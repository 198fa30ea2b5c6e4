/**
 * The inputs and outputs of a door: the function URL's event (payload 2.0), the REST API's (payload
 * 1.0), the invocation and the response stream. Shapes only; `read-event.ts` makes them from the
 * values that the platform or the local twin passes in.
 */

/** Lower-case names. A header that was sent twice arrives as one, joined by commas. */
export type RequestHeaders = { readonly [name: string]: string }

/** The caller whose signature the platform has checked; only behind a URL with AWS_IAM. */
export type IamCaller = { readonly accountId: string; readonly userArn: string }

export type FunctionUrlEvent = {
  readonly version: '2.0'
  /** As sent, percent-encoding kept. */
  readonly rawPath: string
  /** Without `?`; '' when there is none. */
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
  /** As the platform saw it; '' where it says nothing. */
  readonly sourceIp: string
  readonly body?: string
  readonly isBase64Encoded: boolean
}

export type InvocationContext = {
  readonly awsRequestId: string
  /** Until the host's hard end; Infinity on a host without one. */
  getRemainingTimeInMillis(): number
}

/** Status and headers of an answer. Lower-case names. */
export type ResponseHead = {
  readonly statusCode: number
  readonly headers: { readonly [name: string]: string }
}

/** The part of a response stream that the runtime client's facade and node's own share. */
export type ResponseStream = {
  /** Only streams of our own hosts have it; Lambda's streams use its `awslambda` global instead. */
  setHead?(head: ResponseHead): void
  /** True from `setHead` on, where the stream keeps that itself. */
  readonly hasHead?: boolean
  /** False when the caller should wait for `drain`. */
  write(chunk: string | Uint8Array): boolean
  /** Takes no last chunk: the runtime client sends the status only with a `write`. */
  end(): unknown
  on(event: StreamEvent, listener: (cause?: unknown) => void): unknown
  once(event: StreamEvent, listener: (cause?: unknown) => void): unknown
  off(event: StreamEvent, listener: (cause?: unknown) => void): unknown
  readonly destroyed: boolean
  /** True once its server, which stops, has closed it before the answer was whole. Lambda's streams do not have it. */
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
