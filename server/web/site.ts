import { defaultName } from "../../src/contract/pages/site-name.ts";
import type { Chains } from "../billing/crypto/chains/index.ts";
import type { Brand } from "../config/brand.ts";
import type { Config } from "../config/schema.ts";
import { readableOn, textOn } from "../lib/contrast.ts";
import { type Delivery, deliveryOf } from "../mail/delivery.ts";
import type { Mailer } from "../mail/mailer.ts";
import { commandPackageUrl } from "./adapters/command-package.ts";

/** What pages say about the server that they belong to. */
export interface Site {
  /** What stands before the path of every page and file of this host, such as `/9Rk…`; absent where that is nothing. */
  root?: string;
  name: string;
  baseUrl: string;
  /** The address of the package that installs the command; null where the server has none. */
  commandPackage: string | null;
  hasLogo: boolean;
  hasColor: boolean;
  /** The address of a file below `/assets`, such as `style.css`. */
  assetAddress(name: string): string;
  termsUrl: string | null;
  privacyUrl: string | null;
  delivery: Delivery;
  /** Whether playtesters earn money here. */
  payments: boolean;
  /** Whether claims for several players name friends here. */
  friends: boolean;
  /** Whether owners can pay by card here. */
  cards: boolean;
  /** What they can pay with in crypto. */
  crypto: Chains["pairs"];
  registration: Config["registration"];
  allowedDomains: readonly string[];
}

export const plainAssetAddress = (name: string): string => `/assets/${name}`;

export const siteOf = (of: {
  config: Config;
  brand: Brand;
  mailer: Pick<Mailer, "delivers">;
  cards: object | null;
  chains: Pick<Chains, "pairs">;
}): Site => {
  const { config, brand } = of;
  const payments = config.payments.enabled;
  return {
    name: brand.name,
    baseUrl: config.baseUrl,
    commandPackage: commandPackageUrl(config.baseUrl),
    hasLogo: brand.logo !== null,
    hasColor: brand.color !== null,
    assetAddress: plainAssetAddress,
    termsUrl: brand.termsUrl,
    privacyUrl: brand.privacyUrl,
    delivery: deliveryOf(of),
    payments,
    friends: config.multiplayer.friends,
    cards: payments && of.cards !== null,
    crypto: of.chains.pairs,
    registration: config.registration,
    allowedDomains: config.allowedDomains,
  };
};

/** What is around every page. */
export type SiteFrame = Pick<Site, "root" | "name" | "hasLogo" | "hasColor" | "assetAddress" | "termsUrl" | "privacyUrl">;

/** How pages look that belong to no site: the documentation. */
export const noSite: SiteFrame = {
  name: defaultName,
  hasLogo: false,
  hasColor: false,
  assetAddress: plainAssetAddress,
  termsUrl: null,
  privacyUrl: null,
};

/** The backgrounds that links stand on, in the light and in the dark. */
const light = ["#ffffff", "#f2f4f7", "#eef3fc"];
const dark = ["#12161c", "#1b212a", "#222c3b"];

const accent = (color: string) => `--accent: ${color}; --accent-ink: ${textOn(color)};`;

/** The style that puts the color of the brand in the place of the built-in one, readable in the light and in the dark. */
export const brandStyle = (color: string): string =>
  `:root { ${accent(readableOn(color, light))} }
@media (prefers-color-scheme: dark) { :root { ${accent(readableOn(color, dark))} } }
`;
