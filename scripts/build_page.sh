#!/usr/bin/env bash
# Builds the page of `katachi web` from web/ into the package; needs npm and its registry.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../web"
npm ci --no-audit --no-fund
npm run build
