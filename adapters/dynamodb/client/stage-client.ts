/**
 * The client of the store that the stage chooses, for the sweep and the functions that agents wait for: the light one, or the AWS
 * SDK's, which is a file of its own that only a start with it loads (ADR 0103).
 */
import { configOfProcess } from '../../config/env.ts'
import type { FunctionClient } from './function-client.ts'
import { signedRequests } from './signed/signed-requests.ts'
import type { StoreRequests } from './store-requests.ts'

export const stageClient: FunctionClient<'signing' | 'storeClient'> = {
  needs: ['signing', 'storeClient'],
  open: ({ signing, storeClient }) =>
    storeClient.kind === 'sdk'
      ? sdkRequests()
      : signedRequests({
          endpoint: storeClient.endpoint,
          region: signing.region,
          credentials: () => configOfProcess(['credentials']).credentials,
        }),
}

/** Begins to load it at once; requests wait for it. */
function sdkRequests(): StoreRequests {
  const loading = import('./sdk-client.ts').then(({ sdkClient }) => sdkClient.open({}))
  return { send: async (operation, input) => (await loading).send(operation, input) }
}
