from steward.kit.web.slice import Slice, site_of

SLICE = Slice(name="organizations", tables=("organizations",), site=site_of("steward.organizations.api"))
