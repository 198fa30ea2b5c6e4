/** Leads to the public catalogue, where the stage publishes it. */

/** The door says so in the page itself, since a request would be an error where there is none. */
export const isCataloguePublished =
  document.querySelector<HTMLMetaElement>('meta[name="catalogue"]')?.content === 'published'

export function CatalogueLink() {
  if (!isCataloguePublished) return null
  return (
    <p>
      <a href="#/catalogue">See the tools and their prices</a>, without a key.
    </p>
  )
}
