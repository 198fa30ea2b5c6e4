/**
 * The store client that the stage chooses for the sweep and the functions that agents wait for: the
 * light client or the AWS SDK's. A process loads the SDK's file only if the stage chose it (ADR
 * 0103).
 */
import { readProcessConfig } from '../../config/env.ts'
import { signedRequests } from './signed/signed-requests.ts'
import type { FunctionClient, StoreRequests } from './store-requests.ts'

export const stageClient: FunctionClient<'signing' | 'storeClient'> = {
  needs: ['signing', 'storeClient'],
  open: ({ signing, storeClient }) =>
    storeClient.kind === 'sdk'
      ? sdkRequests()
      : signedRequests({
          endpoint: storeClient.endpoint,
          region: signing.region,
          credentials: () => readProcessConfig(['credentials']).credentials,
        }),
}

/** Starts loading the SDK at once; requests wait until it is loaded. */
function sdkRequests(): StoreRequests {
  const loading = import('./sdk-client.ts').then(({ sdkClient }) => sdkClient.open({}))
  return { send: async (operation, input) => (await loading).send(operation, input) }
}
