from steward.kit.db.pagination import Listing, json_columns
from steward.kit.db.table import Table
from steward.work_orders.comments.model import Comment

COMMENTS = Table("work_order_comments", Comment, "comment", parent="work_order_id")
LISTING = Listing("work_order_comments", json_columns(Comment), parent="work_order_id")
